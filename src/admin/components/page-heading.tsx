import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { useServices } from '../lib/services.tsx'

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

/** Of the window; undefined leaves it to whoever knows what is shown. */
export function usePageTitle(title: string | undefined): void {
  const { boot } = useServices()
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Admin Dashboard ${boot.brandName}`
  }, [title, boot.brandName])
}

interface PageHeadingProps {
  title: string
  subtitle?: string
  action?: ReactNode
}

/** `data-page-heading` is where focus goes when the work that held it is gone. */
export function PageHeading({ title, subtitle, action }: PageHeadingProps) {
  return (
    <div className="mb-5 flex flex-col gap-4 sm:mb-7 sm:flex-row sm:items-end">
      <div className="min-w-0 flex-1 wrap-anywhere">
        <h2 data-page-heading tabIndex={-1} className="text-[1.625rem] focus:outline-0">
          {title}
        </h2>
        {subtitle ? <p className="mt-1 text-pretty text-text-2">{subtitle}</p> : null}
      </div>
      {action}
    </div>
  )
}

export function focusPageHeading(): void {
  document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true })
}

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
