import { useEffect, useRef } from 'react'
import { focusPageHeading } from './page-heading.tsx'

/** When a row goes, so does the button in it that had the focus; the keyboard must not be left nowhere. */
export function useFocusAfterRemoval(count: number): void {
  const before = useRef(count)
  useEffect(() => {
    if (count < before.current && document.activeElement === document.body) focusPageHeading()
    before.current = count
  }, [count])
}
