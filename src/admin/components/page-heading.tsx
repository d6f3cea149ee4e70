import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { navigate, paths } from '../lib/router.tsx'
import { useServices } from '../lib/services.tsx'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './message.tsx'

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

/** Title of the window; undefined leaves it to the screen. */
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

/** `data-page-heading` gets the focus when the focused element is gone. */
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

interface NotFoundProps {
  /** Of the page; absent where it has one. */
  heading?: string
  title: string
  text: string
  /** Where to go instead; the list of pixels unless said otherwise. */
  way?: { to: string; label: string }
}

const TO_THE_LIST = { to: paths.list, label: 'Ver todos os pixels' }

/** An address that leads to nothing. */
export function NotFound({ heading, title, text, way = TO_THE_LIST }: NotFoundProps) {
  return (
    <>
      {heading === undefined ? null : <PageHeading title={heading} />}
      <Card>
        <EmptyState
          title={title}
          text={text}
          action={
            <Button look="outline" onClick={() => navigate(way.to)}>
              {way.label}
            </Button>
          }
        />
      </Card>
    </>
  )
}

export function focusPageHeading(): void {
  document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true })
}

/** Parts of the page that can take the focus. */
const PLACES = '[role="region"], section, #conteudo'

/**
 * A focused element may be removed: a button that loaded the last rows, a resolved notice. The browser then moves the
 * focus to the body, and the keyboard starts at the top. The nearest remaining part of the page takes it instead,
 * unless something else already has.
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
