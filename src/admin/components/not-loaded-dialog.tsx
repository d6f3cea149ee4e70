import type { ReactNode } from 'react'

interface NotLoadedDialogProps {
  title: string
  text?: string
  /** Without it, it stays until something else takes its place. */
  onClose?: () => void
  children: ReactNode
}

/** Says over the page, and over a form that may be open, that something did not come. */
export function NotLoadedDialog({ title, text, onClose, children }: NotLoadedDialogProps) {
  return (
    <dialog
      ref={open}
      aria-labelledby="not-loaded"
      onCancel={(event) => {
        if (onClose === undefined) event.preventDefault()
      }}
      onClose={onClose}
      // A form that is open takes a press outside of it for a wish to close it, and lets nothing else be pressed.
      onPointerDown={(event) => event.stopPropagation()}
      style={{ pointerEvents: 'auto' }}
      className="on-ink m-auto max-w-[min(34rem,calc(100%-2rem))] rounded-2xl p-6 shadow-high"
    >
      <p id="not-loaded" className="text-pretty">
        {title}
      </p>
      {text ? <p className="mt-1 text-[0.9375rem] text-pretty text-on-ink-2">{text}</p> : null}
      <div className="mt-4 flex flex-wrap gap-3">{children}</div>
    </dialog>
  )
}

/** The browser's own dialog needs no code that might not come either. */
function open(dialog: HTMLDialogElement | null): void {
  if (dialog?.open === false) dialog.showModal()
}
