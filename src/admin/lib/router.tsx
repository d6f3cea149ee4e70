import { type ReactNode, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { Router } from 'wouter'

export { Link, matchRoute, useLocation, useRouter } from 'wouter'

/** Addresses that features link to. Which screen each one shows is in `app/routes.tsx`. */
export const paths = {
  list: '/admin',
  problems: '/admin?saude=problemas',
  consent: '/admin/consentimento',
  subscriptions: '/admin/inscricoes',
  pixel: (id: string) => `/admin/pixels/${id}`,
  test: (pixelId: string, testId: string) => `/admin/pixels/${pixelId}/testes/${testId}`,
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a part of a path can be an ID at all: what cannot is not asked for. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/**
 * Gives wouter a location of our own. Its own one cannot refuse the back button, and knows nothing of scrolling. Neither
 * writes `history.state` or any storage, which every script of this origin could read.
 */
export function AddressRouter({ children }: { children: ReactNode }) {
  return (
    <Router hook={useAddressOfRouter} searchHook={useSearchOfRouter}>
      {children}
    </Router>
  )
}

interface Move {
  /** Changes the entry of the history instead of adding one; the screen stays where it is. */
  replace?: boolean
}

const listeners = new Set<() => void>()
const holds = new Set<Hold>()
/** What is done before an address is left for another one. */
const leaveListeners = new Set<(address: string) => void>()
/** Parameters that are not in the address yet; a link must find them there, for the way back. */
const unwritten = new Set<() => void>()
/** How far down each address was left. Memory alone: a new page begins with none. */
const tops = new Map<string, number>()
const places = new Map<string, unknown>()
/** Path and filters that are shown. Null until somebody reads it: rules can be imported where there is no window. */
let shown: string | null = null
let arrival: { top: number } | null = null
let cameBack = false

function readAddress(): string {
  if (shown === null) {
    shown = readLocation()
    addEventListener('popstate', onTraversal)
    // Only we know when a screen is as long as it was. A reload is the browser's again.
    history.scrollRestoration = 'manual'
    addEventListener('pagehide', () => {
      history.scrollRestoration = 'auto'
    })
  }
  return shown
}

const readLocation = () => location.pathname + location.search
const readPath = () => readAddress().split('?')[0] ?? ''
const readSearch = () => readAddress().split('?')[1] ?? ''

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function useAddressOfRouter(): [string, typeof navigate] {
  return [useSyncExternalStore(subscribe, readPath), navigate]
}

function useSearchOfRouter(): string {
  return useSyncExternalStore(subscribe, readSearch)
}

/** Moves within the dashboard. */
export function navigate(to: string, { replace = false }: Move = {}): void {
  if (!replace) {
    for (const write of unwritten) write()
    leave()
  }
  if (to === readAddress()) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  // A screen that is still on its way begins where it would have begun.
  show(to, replace ? arrival : { top: 0 }, false)
}

/** The back and forward buttons. */
function onTraversal(): void {
  const to = readLocation()
  const from = readAddress()
  // Only the fragment is another: the link that skips to the content, or one from an e-mail.
  if (to === from) return
  // The browser has already moved, so staying means moving back.
  if ([...holds].some((hold) => hold())) history.pushState(null, '', from)
  else {
    leave()
    show(to, { top: tops.get(to) ?? 0 }, true)
  }
}

function leave(): void {
  for (const onLeave of leaveListeners) onLeave(readAddress())
  tops.set(readAddress(), scrollY)
}

function show(to: string, next: typeof arrival, isBack: boolean): void {
  shown = to
  arrival = next
  cameBack = isBack
  for (const listener of listeners) listener()
}

/** Once for each change of screens: how far down the new one begins. Null where filters changed, and before the first. */
export function takeArrival(): typeof arrival {
  const taken = arrival
  arrival = null
  return taken
}

const INTERVENTIONS = ['wheel', 'touchstart', 'pointerdown', 'keydown']
let stopScrolling = () => {}

/** Scrolls the page, and again as it grows: what makes it long may still be on its way. The person's own move ends that. */
export function scrollPage(top: number): void {
  stopScrolling()
  scrollTo(0, top)
  if (scrollY >= top - 1) return
  const observer = new ResizeObserver(() => {
    scrollTo(0, top)
    if (scrollY >= top - 1) stopScrolling()
  })
  stopScrolling = () => {
    observer.disconnect()
    for (const name of INTERVENTIONS) removeEventListener(name, stopScrolling)
    stopScrolling = () => {}
  }
  for (const name of INTERVENTIONS) addEventListener(name, stopScrolling)
  observer.observe(document.body)
}

/**
 * Where a part that scrolls by itself was left at this address; undefined for whoever did not come back to it. `read` is
 * asked when the address is left.
 */
export function useKeptPlace<Place>(name: string, read: () => Place): Place | undefined {
  const [kept] = useState(() => (cameBack ? places.get(`${readAddress()} ${name}`) : undefined))
  const keep = useEffectEvent((address: string) => places.set(`${address} ${name}`, read()))
  useEffect(() => {
    const onLeave = (address: string) => void keep(address)
    leaveListeners.add(onLeave)
    return () => {
      leaveListeners.delete(onLeave)
    }
  }, [])
  return kept as Place | undefined
}

/** Returns true to keep the person where they are, after asking them about what would be lost. */
type Hold = () => boolean

/** While there is something to lose: leaving the page makes the browser ask, the back button makes us ask. */
export function useUnsavedGuard(dirty: boolean, ask: () => void): void {
  const onBack = useEffectEvent(() => {
    ask()
    return true
  })
  useEffect(() => {
    if (!dirty) return
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault()
    const hold = () => onBack()
    holds.add(hold)
    addEventListener('beforeunload', onLeave)
    return () => {
      holds.delete(hold)
      removeEventListener('beforeunload', onLeave)
    }
  }, [dirty])
}

/** One parameter of the address; null takes it away. */
export function useParameter(name: string): [string | null, (value: string | null) => void] {
  const search = useSearchOfRouter()
  return [new URLSearchParams(search).get(name), (value) => setParameter(name, value)]
}

/** Sets it, or takes it away where it is set already. */
export function toggleParameter(name: string, value: string): void {
  const isSet = new URLSearchParams(readSearch()).get(name) === value
  setParameter(name, isSet ? null : value)
}

function setParameter(name: string, value: string | null): void {
  const parameters = new URLSearchParams(readSearch())
  if (value === null) parameters.delete(name)
  else parameters.set(name, value)
  writeSearch(parameters)
}

function writeSearch(parameters: URLSearchParams): void {
  const search = parameters.toString()
  navigate(search === '' ? readPath() : `${readPath()}?${search}`, { replace: true })
}

/** Takes away whatever a screen does not know: an address is shared, and must hold nothing by accident. */
export function keepParameters(names: readonly string[]): void {
  const parameters = new URLSearchParams(readSearch())
  for (const name of [...parameters.keys()]) if (!names.includes(name)) parameters.delete(name)
  writeSearch(parameters)
}

/**
 * A choice that lives in the address, by the words that the address has for it. The fallback is left out of it.
 *
 *     const [view, setView] = useFilter('ver', { chart: 'grafico', table: 'tabela' }, 'chart')
 */
export function useFilter<Value extends string>(
  name: string,
  words: Readonly<Record<Value, string>>,
  fallback: NoInfer<Value>,
): [Value, (value: Value) => void] {
  const [word, setWord] = useParameter(name)
  const values = Object.keys(words) as Value[]
  const found = values.find((value) => words[value] === word) ?? fallback
  return [found, (value) => setWord(value === fallback ? null : words[value])]
}

/** Browsers refuse to rewrite an address a hundred times in half a minute. */
const TYPING_MS = 400

/** A search for things. It is in the address once the person stops typing, unless it may be somebody's e-mail. */
export function useSearchText(name: string): [string, (text: string) => void] {
  const [word, setWord] = useParameter(name)
  const inAddress = word ?? ''
  const [text, setText] = useState(inAddress)
  const [seen, setSeen] = useState(inAddress)
  const shareable = text.includes('@') ? '' : text
  if (seen !== inAddress) {
    setSeen(inAddress)
    // Not our own writing: a link, or the back button.
    if (inAddress !== shareable) setText(inAddress)
  }
  const write = useEffectEvent(() => setWord(shareable === '' ? null : shareable))
  useEffect(() => {
    if (shareable === inAddress) return
    const writeNow = () => write()
    unwritten.add(writeNow)
    const timer = setTimeout(writeNow, TYPING_MS)
    return () => {
      unwritten.delete(writeNow)
      clearTimeout(timer)
    }
  }, [shareable, inAddress])
  return [text, setText]
}
