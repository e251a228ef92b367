vim.filetype.add({ extension = { par = "par" } })
