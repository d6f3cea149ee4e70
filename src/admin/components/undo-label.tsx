const KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘Z' : 'Ctrl+Z'

/** The key is shown where there is a keyboard to expect. */
export const UNDO_LABEL = (
  <>
    Desfazer
    <span
      aria-hidden="true"
      className="ml-2 font-sans text-xs font-normal text-on-ink-2 pointer-coarse:hidden"
    >
      {KEY}
    </span>
  </>
)
