import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { focusPageHeading } from './page-heading.tsx'

/**
 * When a row goes, so does the button in it that had the focus; the keyboard must not be left nowhere. It goes to
 * `target`, or to the page's heading when there is none.
 */
export function useFocusAfterRemoval(
  count: number,
  target?: RefObject<HTMLElement | null> | (() => void),
): void {
  const before = useRef(count)
  const recover = useEffectEvent(() => {
    if (typeof target === 'function') target()
    else if (target?.current) target.current.focus({ preventScroll: true })
    else focusPageHeading()
  })
  useEffect(() => {
    if (count < before.current && isFocusLost()) recover()
    before.current = count
  }, [count])
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
