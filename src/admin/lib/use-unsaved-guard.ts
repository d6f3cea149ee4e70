import { useEffect, useEffectEvent } from 'react'
import { holdAddress } from './address.ts'

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
