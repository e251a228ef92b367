-- The language server, for `vim.lsp.enable("parspec")`. Change what you like with
-- `vim.lsp.config("parspec", { ... })`, for instance `cmd` or `settings`.

---@param client vim.lsp.Client
---@param buffer integer
---@param plan string?
local function open_report(client, buffer, plan)
  local uri = vim.uri_from_bufnr(buffer)
  local words = { command = "parspec.report", arguments = { uri, plan or vim.NIL } }
  client:request("workspace/executeCommand", words, function(err, report)
    if err or not report or report == vim.NIL then
      local why = err and err.message or "there is no report of this file"
      vim.notify("parspec: " .. why, vim.log.levels.WARN)
      return
    end
    local page = vim.fn.tempname() .. ".html"
    vim.fn.writefile(vim.split(report.html, "\n"), page)
    local _, trouble = vim.ui.open(page)
    local level = trouble and vim.log.levels.WARN or vim.log.levels.INFO
    vim.notify("parspec: the report is in " .. page .. (trouble and ", " .. trouble or ""), level)
  end, buffer)
end

--- The report that belongs to the cursor's place; where several plans may be meant, asks.
---@param client vim.lsp.Client
---@param buffer integer
local function report_at_cursor(client, buffer)
  local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local place = { at.textDocument.uri, at.position.line, at.position.character }
  local words = { command = "parspec.plans", arguments = place }
  client:request("workspace/executeCommand", words, function(err, plans)
    local names = vim.tbl_filter(function(plan)
      return plan ~= vim.NIL
    end, not err and plans or {})
    if #names < 2 then
      open_report(client, buffer, names[1])
      return
    end
    vim.ui.select(names, { prompt = "The plan to report on:" }, function(plan)
      if plan then
        open_report(client, buffer, plan)
      end
    end)
  end, buffer)
end

---@param client vim.lsp.Client
---@param buffer integer
---@param word string
local function explain(client, buffer, word)
  local words = { command = "parspec.explain", arguments = { word } }
  client:request("workspace/executeCommand", words, function(err, answer)
    if err or not answer or answer == vim.NIL then
      vim.notify("parspec has no explanation of " .. word, vim.log.levels.WARN)
      return
    end
    vim.lsp.util.open_floating_preview(vim.split(answer.markdown, "\n"), "markdown", {
      border = "rounded",
      focus_id = "parspec.explain." .. answer.title, -- another word takes the window's place
    })
  end, buffer)
end

---@type vim.lsp.Config
return {
  cmd = { "parspec", "lsp" },
  filetypes = { "par" },
  root_markers = { ".git" },
  settings = {
    parspec = {
      inlayHints = {
        enable = true,
        states = true,
        patterns = true,
        follows = true,
        primitives = true,
        minimumTraffic = 0, -- bytes
      },
      codeLens = { enable = true },
      diagnostics = { enable = true, minimumSeverity = "hint" },
      format = { enable = true },
    },
  },
  commands = {
    ["parspec.report"] = function(command, context)
      local client = assert(vim.lsp.get_client_by_id(context.client_id))
      local plan = command.arguments[2]
      open_report(client, vim.uri_to_bufnr(command.arguments[1]), plan ~= vim.NIL and plan or nil)
    end,
    ["parspec.explain"] = function(command, context)
      local client = assert(vim.lsp.get_client_by_id(context.client_id))
      explain(client, context.bufnr, command.arguments[1])
    end,
  },
  on_attach = function(client, buffer)
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    vim.api.nvim_buf_create_user_command(buffer, "ParspecReport", function(said)
      if said.fargs[1] then
        open_report(client, buffer, said.fargs[1])
      else
        report_at_cursor(client, buffer)
      end
    end, { nargs = "?", desc = "Open the report of this file, or of one of its plans" })
    vim.api.nvim_buf_create_user_command(buffer, "ParspecExplain", function(said)
      explain(client, buffer, said.args ~= "" and said.args or vim.fn.expand("<cword>"))
    end, { nargs = "*", desc = "Explain a diagnostic code, a primitive or another word" })
  end,
}
