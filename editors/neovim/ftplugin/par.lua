-- How a .par buffer is edited: comments, indentation, what `gf` and `[i` find.

vim.bo.commentstring = "# %s"
vim.bo.comments = ":#"
vim.opt_local.formatoptions:remove("t")
vim.opt_local.formatoptions:append("croql")
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
vim.bo.softtabstop = 2
vim.bo.suffixesadd = ".par"
vim.bo.include = [[^\s*import\s\+"\zs[^"]*\ze"]]

-- Files of the built-in library, to which definitions lead, are for reading.
if vim.api.nvim_buf_get_name(0):find("/parspec/interpreter/spec/library/[^/]+%.par$") then
  vim.bo.readonly = true
  vim.bo.modifiable = false
end

vim.b.undo_ftplugin = "setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< "
  .. "softtabstop< suffixesadd< include< readonly< modifiable<"
