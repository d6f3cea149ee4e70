import { type MouseEvent, useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/** A plain click stays in the page; any other way of following a link is left to the browser. */
export function openHere(event: MouseEvent, path: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  navigate(path)
}

/** The list of pixels, and the places under the tabs that have an address of their own. */
export const LIST_PATH = '/admin'

/** The list again, of those with a problem. */
export const PROBLEMS_PATH = '/admin/problemas'

export const SUBSCRIPTIONS_PATH = '/admin/inscricoes'

/** Under the people who have access. */
export const ACTIVITY_PATH = '/admin/atividade'

export const CONSENT_PATH = '/admin/consentimento'

export const INVENTORY_PATH = '/admin/inventario'

export const TRASH_PATH = '/admin/lixeira'

const PIXEL_PAGE = /^\/admin\/pixels\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/

export function pixelPath(id: string): string {
  return `/admin/pixels/${id}`
}

/** Whose page an address is; null for any other. */
export function pixelIdOf(path: string): string | null {
  return PIXEL_PAGE.exec(path)?.[1] ?? null
}

const TEST_PAGE = /^\/admin\/pixels\/([0-9a-f-]{36})\/testes\/([0-9a-f-]{36})\/?$/

export function testPath(pixelId: string, testId: string): string {
  return `${pixelPath(pixelId)}/testes/${testId}`
}

/** Which test an address is; null for any other. */
export function testOf(path: string): { pixelId: string; testId: string } | null {
  const [, pixelId, testId] = TEST_PAGE.exec(path) ?? []
  return pixelId === undefined || testId === undefined ? null : { pixelId, testId }
}

export function isAt(place: string, path: string): boolean {
  return path.replace(/(?<!\/)\/+$/, '') === place
}

/** While there is something to lose: leaving the page makes the browser ask, the back button makes us ask. */
export function useUnsavedGuard(dirty: boolean, ask: () => void): void {
  const onBack = useEffectEvent(() => {
    ask()
    return true
  })
  useEffect(() => {
    if (!dirty) return
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault()
    const release = holdAddress(() => onBack())
    addEventListener('beforeunload', onLeave)
    return () => {
      release()
      removeEventListener('beforeunload', onLeave)
    }
  }, [dirty])
}

/** Returns true to keep the person where they are, after asking them about what would be lost. */
type Hold = () => boolean

const listeners = new Set<() => void>()

const holds = new Set<Hold>()

/** Undefined until somebody reads it or moves: rules can be imported where there is no window. */
let current: string | undefined

function read(): string {
  if (current === undefined) {
    current = location.pathname
    addEventListener('popstate', onMoved)
  }
  return current
}

function onMoved(): void {
  // The browser has already moved, so staying means moving back.
  if ([...holds].some((hold) => hold())) history.pushState(null, '', current)
  else show(location.pathname)
}

/** Moves within the dashboard. Nothing is kept in `history.state`, which any page of this origin could read. */
export function navigate(path: string): void {
  if (path === read()) return
  history.pushState(null, '', path)
  show(path)
}

export function useAddress(): string {
  return useSyncExternalStore(subscribe, read)
}

function holdAddress(hold: Hold): () => void {
  holds.add(hold)
  return () => {
    holds.delete(hold)
  }
}

function show(path: string): void {
  current = path
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
