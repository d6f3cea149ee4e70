import { type RefObject, useEffect, useRef } from 'react'
import { focusPageHeading } from './page-heading.tsx'

/**
 * When a row goes, so does the button in it that had the focus; the keyboard must not be left nowhere. It goes to
 * `heading`, or to the page's when there is none.
 */
export function useFocusAfterRemoval(count: number, heading?: RefObject<HTMLElement | null>): void {
  const before = useRef(count)
  useEffect(() => {
    if (count < before.current && isFocusLost()) {
      if (heading?.current) heading.current.focus({ preventScroll: true })
      else focusPageHeading()
    }
    before.current = count
  }, [count, heading])
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
