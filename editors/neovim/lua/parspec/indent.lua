-- The indentation of a line, from the line with text above it.

---@param text string
---@return string # without its comment and strings
local function bare(text)
  return (text:gsub('"[^"]*"', ""):gsub("#.*", ""))
end

---@param number integer a 1-based line number of the current buffer
---@return integer # columns
return function(number)
  local above = vim.fn.prevnonblank(number - 1)
  if above == 0 then
    return 0
  end
  local text = bare(vim.fn.getline(above))
  local opens = select(2, text:gsub("{", "")) - select(2, text:gsub("}", ""))
  if text:match("^%s*}") then
    opens = opens + 1 -- its own line stands where it closed
  end
  if vim.fn.getline(number):match("^%s*}") then
    opens = opens - 1
  end
  return math.max(0, vim.fn.indent(above) + opens * vim.fn.shiftwidth())
end
