-- Two spaces for each brace that is open.

vim.bo.indentexpr = "v:lua.require'parspec.indent'(v:lnum)"
vim.bo.indentkeys = "0},!^F,o,O"

vim.b.undo_indent = "setlocal indentexpr< indentkeys<"
