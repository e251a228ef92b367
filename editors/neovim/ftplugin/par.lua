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

vim.b.undo_ftplugin = "setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< "
  .. "softtabstop< suffixesadd< include<"
