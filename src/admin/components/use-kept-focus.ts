import { useEffect } from 'react'

/** Parts of the page that can take the focus of something in them. */
const PLACES = '[role="region"], section, #conteudo'

/**
 * Something that had the focus may leave the page: a button that loaded the last rows, a notice that was settled. The
 * browser then drops the focus to the body, and the keyboard starts again at the top. The nearest part of the page that
 * is still there takes it instead, unless somebody else already has.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let path: Element[] = []
    const onFocus = ({ target }: FocusEvent) => {
      path = []
      for (let at = target as Element | null; at !== null; at = at.parentElement) path.push(at)
    }
    const observer = new MutationObserver(() => {
      const [last] = path
      if (last === undefined || last.isConnected || document.activeElement !== document.body) return
      const place = path.find(({ isConnected }) => isConnected)?.closest<HTMLElement>(PLACES)
      path = []
      if (!place) return
      if (!place.hasAttribute('tabindex')) place.tabIndex = -1
      place.focus({ preventScroll: true })
    })
    addEventListener('focusin', onFocus)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      removeEventListener('focusin', onFocus)
      observer.disconnect()
    }
  }, [])
}
