import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AdminBoot } from '#contract/admin-page.ts'
import { Toaster } from '../components/toaster.tsx'
import { SessionProvider } from '../features/session/api/session-context.tsx'
import { SessionStore } from '../features/session/api/session-store.ts'
import { watchSession } from '../features/session/api/watch-session.ts'
import { createClients } from '../lib/clients.ts'
import { ServicesProvider } from '../lib/services.tsx'
import type { MailLink } from '../lib/take-mail-link.ts'
import { SessionGate } from './session-gate.tsx'

/** Composition only: clients, caches and the session are made here, once. */
export function App({ boot, link }: { boot: AdminBoot; link: MailLink | null }) {
  const [{ services, store, queryClient }] = useState(() => compose(boot))
  useEffect(() => watchSession(services, store), [services, store])
  return (
    <ServicesProvider services={services}>
      <SessionProvider store={store}>
        <QueryClientProvider client={queryClient}>
          <SessionGate link={link} />
          <Toaster />
        </QueryClientProvider>
      </SessionProvider>
    </ServicesProvider>
  )
}

function compose(boot: AdminBoot) {
  const clients = createClients(boot, location.origin)
  const store = new SessionStore()
  // For signing in, of which nothing is kept; what a person loads is in `PersonalCache`.
  const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: 'always' } } })
  return { services: { ...clients, boot }, store, queryClient }
}
