import { useRef } from 'react'
import { focusPageHeading } from './page-heading.tsx'

/** Dialogs here have no trigger of their own: focus goes back to what had it, or to the heading when that is gone. */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const target = opener.current
      if (target instanceof HTMLElement && target.isConnected && target !== document.body) target.focus()
      else focusPageHeading()
    },
  }
}
