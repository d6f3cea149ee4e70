import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { dismissSessionFailures, withdrawUndos } from '../components/notify.ts'
import { checkSession } from '../features/session/api/check-session.ts'
import { useSessionStore } from '../features/session/api/session-context.tsx'
import { createQueryClient } from '../lib/query-client.ts'
import { useServices } from '../lib/services.tsx'

interface PersonalCacheProps {
  /** The session is over, and the page waits underneath. */
  ended: boolean
  children: ReactNode
}

/** What one person has loaded. Rendered with the person as its key: whoever comes next starts with nothing. */
export function PersonalCache({ ended, children }: PersonalCacheProps) {
  const services = useServices()
  const store = useSessionStore()
  const [queryClient] = useState(() => createQueryClient(() => void checkSession(services, store)))
  const wasEnded = useRef(false)
  useEffect(() => {
    // What failed for want of a session is asked for again.
    if (wasEnded.current && !ended) {
      void queryClient.invalidateQueries()
      dismissSessionFailures()
    }
    wasEnded.current = ended
  }, [ended, queryClient])
  useEffect(
    () => () => {
      queryClient.clear()
      withdrawUndos()
    },
    [queryClient],
  )
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
}
