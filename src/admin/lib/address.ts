import { useSyncExternalStore } from 'react'

/** Returns true to keep the person where they are, after asking them about what would be lost. */
type Hold = () => boolean

const listeners = new Set<() => void>()
const holds = new Set<Hold>()
let current = location.pathname

addEventListener('popstate', () => {
  // The browser has already moved, so staying means moving back.
  if ([...holds].some((hold) => hold())) history.pushState(null, '', current)
  else show(location.pathname)
})

/** Moves within the dashboard. Nothing is kept in `history.state`, which any page of this origin could read. */
export function navigate(path: string): void {
  if (path === current) return
  history.pushState(null, '', path)
  show(path)
}

export function useAddress(): string {
  return useSyncExternalStore(subscribe, () => current)
}

export function holdAddress(hold: Hold): () => void {
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
