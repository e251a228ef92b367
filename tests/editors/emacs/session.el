;;; session.el --- What Emacs shows of a faulty plan  -*- lexical-binding: t -*-

;; The README's lines are loaded first; prints what is then seen, a line each.

(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect 20)

(defun wait-for (condition)
  "Wait until CONDITION returns something, and return it."
  (let ((end (time-add nil 20)) found)
    (while (and (not (setq found (funcall condition))) (time-less-p nil end))
      (accept-process-output nil 0.05))
    found))

(load (getenv "PARSPEC_SNIPPET"))
(find-file "mistaken.par")
(princ (format "mode: %s\n" major-mode))
(call-interactively #'eglot)
(wait-for #'flymake-diagnostics)
(dolist (diagnostic (flymake-diagnostics))
  (princ (format "diagnostic: %s\n" (flymake-diagnostic-text diagnostic))))

(search-forward "layer up: h")
(backward-char)
(let ((contents (plist-get (jsonrpc-request (eglot--current-server-or-lose)
                                            :textDocument/hover
                                            (eglot--TextDocumentPositionParams))
                           :contents)))
  (princ (format "hover: %s\n" (car (split-string (eglot--format-markup contents) "\n")))))

(search-forward "tense")
(let* ((action (seq-find (lambda (one) (equal (plist-get one :kind) "quickfix"))
                         (eglot-code-actions (point) (point)))))
  (eglot--apply-workspace-edit (plist-get action :edit) nil))
(princ (format "fixed: %s\n" (string-trim (thing-at-point 'line t))))
