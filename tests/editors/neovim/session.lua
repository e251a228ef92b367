-- Edits the files of a workspace as a user would, and writes down as JSON what Neovim then shows.
-- Each step is an entry; one that fails leaves its error and does not hide the others.

local PATIENCE = 10000 -- milliseconds

local function wait_for(what, condition)
  local found
  local there = vim.wait(PATIENCE, function()
    found = condition()
    return found
  end, 20)
  assert(there, what .. " did not come")
  return found
end

--- Opens a file and waits until the server is there.
local function open(name)
  vim.cmd.edit({ name, bang = true })
  return wait_for("the server", function()
    local client = vim.lsp.get_clients({ bufnr = 0, name = "parspec" })[1]
    return client and client.initialized and client
  end)
end

--- Puts the cursor on the last character of `text`, which is searched from the top.
local function go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search("\\V" .. text, "ceW") > 0, text .. " is not there")
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, true)
end

local function ask(method, extra)
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local buffer = vim.api.nvim_get_current_buf() -- by its number, else its changes are not sent ahead
  local answer = client:request_sync(method, vim.tbl_extend("force", params, extra or {}), PATIENCE, buffer)
  assert(answer, method .. " was not answered")
  assert(not answer.err, answer.err and answer.err.message)
  return answer.result
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), "tx", false)
end

local steps = {}

function steps.filetype()
  open("gathered.par")
  return { vim.bo.filetype, vim.bo.commentstring, vim.bo.shiftwidth }
end

function steps.comment()
  open("gathered.par")
  go_to("output y")
  press("gcc")
  return vim.api.nvim_get_current_line()
end

function steps.indentation()
  open("gathered.par")
  press("Gostack decoder[L]: x -> y {<CR>layer up: h[B] = x<CR>}<CR>output y<Esc>")
  return vim.list_slice(lines(), #lines() - 3)
end

function steps.colours()
  open("gathered.par")
  local found = {}
  for _, text in ipairs({ "# Column", "mesh", "= 8", "layer one", "gelu", "partition" }) do
    go_to(text)
    local at = vim.api.nvim_win_get_cursor(0)
    found[text] = vim.fn.synIDattr(vim.fn.synID(at[1], at[2] + 1, 1), "name")
  end
  return found
end

function steps.semantic_tokens()
  open("gathered.par")
  go_to("layer one")
  local at = vim.api.nvim_win_get_cursor(0)
  return wait_for("semantic tokens", function()
    local tokens = vim.lsp.semantic_tokens.get_at_pos(0, at[1] - 1, at[2])
    return tokens and tokens[1] and tokens[1].type
  end)
end

function steps.diagnostics()
  open("mistaken.par")
  local found = wait_for("a diagnostic", function()
    return vim.diagnostic.get(0)[1]
  end)
  return {
    code = found.code,
    message = found.message,
    line = found.lnum + 1,
    text = lines()[found.lnum + 1]:sub(found.col + 1, found.end_col),
  }
end

function steps.quick_fix()
  open("mistaken.par")
  wait_for("a diagnostic", function()
    return vim.diagnostic.get(0)[1]
  end)
  go_to("F on tenser")
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.kind == "quickfix" and action.isPreferred
    end,
  })
  wait_for("no diagnostic", function()
    return #vim.diagnostic.get(0) == 0
  end)
  return vim.fn.search("partition F on tensor", "cw") > 0 and "fixed" or lines()
end

function steps.hover()
  open("gathered.par")
  go_to("= a")
  return ask("textDocument/hover").contents.value
end

function steps.inlay_hints()
  open("gathered.par")
  return wait_for("inlay hints", function()
    local hints = vim.lsp.inlay_hint.get({ bufnr = 0 })
    return #hints > 0
      and vim.tbl_map(function(found)
        local label = found.inlay_hint.label
        if type(label) == "table" then
          label = table.concat(vim.tbl_map(function(part)
            return part.value
          end, label))
        end
        return { line = found.inlay_hint.position.line + 1, label = label }
      end, hints)
  end)
end

function steps.code_lens()
  open("gathered.par")
  vim.lsp.codelens.refresh({ bufnr = 0 })
  return wait_for("code lenses", function()
    local lenses = vim.tbl_filter(function(lens)
      return lens.command ~= nil
    end, vim.lsp.codelens.get(0))
    return #lenses > 0 and vim.tbl_map(function(lens)
      return lens.command.title
    end, lenses)
  end)
end

function steps.definition()
  open("plan.par")
  go_to("partition F")
  vim.lsp.buf.definition()
  wait_for("the other file", function()
    return vim.fn.expand("%:t") == "model.par"
  end)
  return vim.api.nvim_get_current_line()
end

function steps.library()
  local folder = vim.fn.tempname() .. "/parspec/interpreter/spec/library"
  vim.fn.mkdir(folder, "p")
  vim.fn.writefile({ "link ib { bandwidth = 50 GB/s }" }, folder .. "/wires.par")
  vim.cmd.edit(folder .. "/wires.par")
  return { vim.bo.filetype, vim.bo.readonly, vim.bo.modifiable }
end

function steps.rename()
  open("plan.par")
  local plan = vim.api.nvim_get_current_buf()
  open("model.par")
  go_to("dim F")
  vim.lsp.buf.rename("Width")
  wait_for("the new name", function()
    return vim.api.nvim_get_current_line():find("Width")
  end)
  return { model = lines(), plan = lines(plan) }
end

function steps.formatting()
  open("untidy.par")
  vim.lsp.buf.format({ timeout_ms = PATIENCE })
  return lines()
end

function steps.completion()
  open("gathered.par")
  press("Golayer three: z[B, D] = rms<Esc>")
  local last = lines()[#lines()]
  local answer = ask("textDocument/completion", {
    position = { line = #lines() - 1, character = #last },
  })
  return {
    line = last,
    labels = vim.tbl_map(function(item)
      return item.label
    end, answer.items or answer),
  }
end

function steps.report()
  open("gathered.par")
  local shown
  vim.ui.open = function(path)
    shown = path
  end
  vim.cmd.ParspecReport()
  wait_for("the report", function()
    return shown
  end)
  return table.concat(vim.fn.readfile(shown), "\n")
end

function steps.report_of_the_plan_that_is_picked()
  open("planned.par")
  local offered, shown
  vim.ui.open = function(path)
    shown = path
  end
  vim.ui.select = function(items, _, take)
    offered = items
    take(items[2])
  end
  vim.cmd.ParspecReport()
  wait_for("the report", function()
    return shown
  end)
  return { offered = offered, page = table.concat(vim.fn.readfile(shown), "\n") }
end

function steps.report_without_a_browser()
  open("gathered.par")
  local page, told
  vim.ui.open = function(path)
    page = path
    return nil, "no browser"
  end
  vim.notify = function(text) -- others have something to tell, too
    told = text:find("the report is in", 1, true) and text or told
  end
  vim.cmd.ParspecReport()
  wait_for("the message", function()
    return page and told
  end)
  return { page = page, told = told }
end

function steps.report_of_a_plan_that_is_not_there()
  open("planned.par")
  local told
  vim.notify = function(text)
    told = text:find("has no plan", 1, true) and text or told
  end
  vim.cmd.ParspecReport("nope")
  return wait_for("the message", function()
    return told
  end)
end

--- What the floating window says once it is about `word`.
local function explained(word)
  vim.cmd.ParspecExplain(word)
  return wait_for("an explanation of " .. word, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local text = table.concat(lines(vim.api.nvim_win_get_buf(window)), "\n")
      local floats = vim.api.nvim_win_get_config(window).relative ~= ""
      if floats and text:find(word .. " (primitive)", 1, true) then
        return text
      end
    end
  end)
end

function steps.explanation()
  open("gathered.par")
  return explained("All-Gather")
end

function steps.another_explanation()
  open("gathered.par")
  explained("All-Gather")
  return explained("All-Reduce")
end

local results = {}
local there, trouble = pcall(open, "gathered.par")
for name, step in pairs(there and steps or {}) do
  local works, result = pcall(step)
  results[name] = works and { result = result } or { error = tostring(result) }
  vim.cmd("silent! %bwipeout!")
end
results.server = there and { result = "there" } or { error = trouble }
vim.fn.writefile({ vim.json.encode(results) }, vim.env.PARSPEC_RESULTS)
vim.cmd.quitall({ bang = true })
