import { useRef } from 'react'
import { focusPageHeading } from './page-heading.tsx'

/** Where the work starts: the control that asks for it, or the first one of the form, rather than the X. */
const FIRST_CONTROL =
  'form:has([data-autofocus]) [data-autofocus], form:not(:has([data-autofocus])) input:enabled'

/** Dialogs here have no trigger of their own: focus goes back to what had it, or to the heading when that is gone. */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = document.activeElement
      const dialog = event.currentTarget
      const first = dialog instanceof Element && dialog.querySelector<HTMLElement>(FIRST_CONTROL)
      if (!first) return
      event.preventDefault()
      first.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const target = opener.current
      if (target instanceof HTMLElement && target.isConnected && target !== document.body) target.focus()
      else if (document.activeElement === document.body) focusPageHeading()
    },
  }
}
