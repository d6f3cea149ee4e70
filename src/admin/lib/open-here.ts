import type { MouseEvent } from 'react'
import { navigate } from './address.ts'

/** A plain click stays in the page; any other way of following a link is left to the browser. */
export function openHere(event: MouseEvent, path: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  navigate(path)
}
