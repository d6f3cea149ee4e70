import { type ReactNode, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { Router } from 'wouter'

export { Link, matchRoute, useLocation, useRouter } from 'wouter'

/** Addresses that features link to. `app/routes.tsx` has their screens. */
export const paths = {
  list: '/admin',
  problems: '/admin?saude=problemas',
  visits: '/admin/visitas',
  outcomes: '/admin/resultados',
  consent: '/admin/consentimento',
  subscriptions: '/admin/inscricoes',
  account: '/admin/conta',
  /** The guide, one of its chapters, or a heading of one. */
  help: (chapter = '', heading = '') =>
    `/admin/ajuda${chapter === '' ? '' : `/${chapter}`}${heading === '' ? '' : `#${heading}`}`,
  pixel: (id: string) => `/admin/pixels/${id}`,
  test: (pixelId: string, testId: string) => `/admin/pixels/${pixelId}/testes/${testId}`,
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** True if a part of a path can be an ID: others are not requested. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/**
 * Gives wouter our own location. Wouter's cannot refuse the back button and ignores scrolling. Neither writes
 * `history.state` or storage, which every script of this origin could read.
 */
export function AddressRouter({ children }: { children: ReactNode }) {
  return (
    <Router hook={useAddressOfRouter} searchHook={useSearchOfRouter}>
      {children}
    </Router>
  )
}

interface Move {
  /** Replaces the history entry; the screen keeps its position. */
  replace?: boolean
}

const listeners = new Set<() => void>()
const holds = new Set<Hold>()
/** Called before an address is left. */
const leaveListeners = new Set<(address: string) => void>()
/** Parameters that are not in the address yet; a link must write them first, for the way back. */
const unwritten = new Set<() => void>()
/** Scroll position of each address. In memory only. */
const tops = new Map<string, number>()
const places = new Map<string, unknown>()
/** The shown path and filters. Null until it is read: rules can be imported without a window. */
let shown: string | null = null
let arrival: { top: number } | null = null
let cameBack = false
let pathSince = 0
/** The address that each path was left with: its filters, which a link back to it keeps. */
const addresses = new Map<string, string>()

function readAddress(): string {
  if (shown === null) {
    shown = readLocation()
    pathSince = Date.now()
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

/** Navigates within the dashboard. */
export function navigate(to: string, { replace = false }: Move = {}): void {
  if (!replace) {
    for (const write of unwritten) write()
    leave()
  }
  const [address = '', fragment] = to.split('#')
  if (address === readAddress() && fragment === undefined) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  // A screen that is still loading keeps its start position. The screen itself finds the heading.
  show(address, replace ? arrival : { top: 0 }, false)
}

/** The back and forward buttons. */
function onTraversal(): void {
  const to = readLocation()
  const from = readAddress()
  // Only the fragment changed: the skip link, or an emailed link.
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
  addresses.set(readPath(), readAddress())
}

function show(to: string, next: typeof arrival, isBack: boolean): void {
  if (to.split('?')[0] !== readPath()) pathSince = Date.now()
  shown = to
  arrival = next
  cameBack = isBack
  for (const listener of listeners) listener()
}

/** Since when this path has been shown, whatever its filters. */
export const arrivedAt = () => pathSince

/** A path as the person left it, with its filters. */
export const asLeft = (path: string) => addresses.get(path) ?? path

/** Another person begins at the top of everything, and without filters. */
export function forgetPlaces(): void {
  for (const kept of [tops, places, addresses]) kept.clear()
}

/** Once for each change of screens: how far down the new one begins. Null where filters changed, and before the first. */
export function takeArrival(): typeof arrival {
  const taken = arrival
  arrival = null
  return taken
}

const INTERVENTIONS = ['wheel', 'touchstart', 'pointerdown', 'keydown']
let stopScrolling = () => {}

/** Scrolls the page, and again as it grows, because content may still be loading. A move of the person ends that. */
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
 * The position of a scrolling part at this address; undefined unless the person came back to it. `read` is called when
 * the address is left.
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

/** Returns true to keep the person here, after asking about unsaved input. */
type Hold = () => boolean

/** While there is unsaved input: leaving the page makes the browser ask, the back button makes us ask. */
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

/** One parameter of the address; null removes it. */
export function useParameter(name: string): [string | null, (value: string | null) => void] {
  const search = useSearchOfRouter()
  return [new URLSearchParams(search).get(name), (value) => setParameter(name, value)]
}

/** Sets it, or removes it if it is set. */
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

/** Sets parameters as a step of the history, which the back button undoes; null removes one. */
export function pushParameters(changes: Readonly<Record<string, string | null>>): void {
  const parameters = new URLSearchParams(readSearch())
  for (const [name, value] of Object.entries(changes))
    if (value === null) parameters.delete(name)
    else parameters.set(name, value)
  writeSearch(parameters, { replace: false })
}

function writeSearch(parameters: URLSearchParams, move: Move = { replace: true }): void {
  const search = parameters.toString()
  navigate(search === '' ? readPath() : `${readPath()}?${search}`, move)
}

/** Removes parameters that a screen does not know: addresses are shared and must contain nothing by accident. */
export function keepParameters(names: readonly string[]): void {
  const parameters = new URLSearchParams(readSearch())
  for (const name of [...parameters.keys()]) if (!names.includes(name)) parameters.delete(name)
  writeSearch(parameters)
}

/**
 * A choice in the address, by its words there. The fallback is left out.
 *
 * const [view, setView] = useFilter('ver', { chart: 'grafico', table: 'tabela' }, 'chart')
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

/** A search. It is in the address once the person stops typing, unless it may be an email. */
export function useSearchText(name: string): [string, (text: string) => void] {
  const [word, setWord] = useParameter(name)
  const inAddress = word ?? ''
  const [text, setText] = useState(inAddress)
  const [seen, setSeen] = useState(inAddress)
  const shareable = text.includes('@') ? '' : text
  if (seen !== inAddress) {
    setSeen(inAddress)
    // Not our own change: a link, or the back button.
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
