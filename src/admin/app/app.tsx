import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { AdminBoot } from '#contract/admin-page.ts'
import { Button } from '../components/button.tsx'
import {
  ErrorBoundary,
  FullPageSpinner,
  lazyPart,
  loadWhenIdle,
  NotLoadedDialog,
  ScreenBoundary,
} from '../components/error-boundary.tsx'
import { dismissMessages, dismissSessionFailures, Toaster } from '../components/toast.tsx'
import {
  checkSession,
  enterAtOnce,
  type MailLink,
  SessionProvider,
  SessionStore,
  takeMailLink,
  useSessionState,
  useSessionStore,
  watchSession,
} from '../features/session/session.tsx'
import { createQueryClient, whenQuiet } from '../lib/queries.ts'
import { AddressRouter, forgetPlaces } from '../lib/router.tsx'
import { CurrentUserProvider, createClients, ServicesProvider, useServices } from '../lib/services.tsx'
import { Dashboard } from './dashboard.tsx'
import { LAZY_SCREENS } from './routes.tsx'

/** Composition only: clients, caches and the session are made here, once. */
export function App({ boot, link }: { boot: AdminBoot; link: MailLink | null }) {
  const [{ services, store, queryClient }] = useState(() => compose(boot))
  useEffect(() => watchSession(services, store), [services, store])
  return (
    <ServicesProvider services={services}>
      <SessionProvider store={store}>
        <QueryClientProvider client={queryClient}>
          <AddressRouter>
            <SessionGate link={link} />
          </AddressRouter>
          <Toaster />
        </QueryClientProvider>
      </SessionProvider>
    </ServicesProvider>
  )
}

function compose(boot: AdminBoot) {
  const store = new SessionStore()
  const clients = createClients(boot, location.origin, store.onAuthEvent)
  enterAtOnce(clients, store)
  // For signing in, of which nothing is kept; what a person loads is in `PersonalCache`.
  const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: 'always' } } })
  return { services: { ...clients, boot }, store, queryClient }
}

/** The session decides what is shown: spinner, login, dashboard, or the dashboard with the login over it. */
function SessionGate({ link: opened }: { link: MailLink | null }) {
  const { boot } = useServices()
  const state = useSessionState()
  const [link, setLink] = useState(opened)
  const [forgot, setForgot] = useState(false)
  const owed = state.status === 'second-factor' ? state.factors : []
  const ended = state.status === 'ended' || owed.length > 0
  useEffect(() => {
    if (state.status === 'signed-out') document.title = `Admin Dashboard ${boot.brandName}`
  }, [state.status, boot.brandName])

  // A link from an e-mail that is pasted into an open tab only changes the fragment: no page is loaded.
  useEffect(() => {
    const onFragment = () => {
      const pasted = takeMailLink()
      if (pasted !== null) setLink(pasted)
    }
    addEventListener('hashchange', onFragment)
    return () => removeEventListener('hashchange', onFragment)
  }, [])

  if (state.status === 'checking') return <FullPageSpinner />
  if (link !== null) {
    const onDone = (next: 'login' | 'forgot') => {
      setLink(null)
      setForgot(next === 'forgot')
    }
    return (
      <LoginPart>
        <LinkScreen key={JSON.stringify(link)} link={link} onDone={onDone} />
      </LoginPart>
    )
  }
  if (state.status === 'signed-out')
    return (
      <LoginPart>
        <LoginScreen notice={state.notice} forgot={forgot} />
      </LoginPart>
    )
  if (state.status === 'second-factor' && !state.over)
    return (
      <LoginPart>
        <CodeScreen email={state.user.email} factors={state.factors} />
      </LoginPart>
    )
  return (
    // Another person gets a new dashboard without the former one's data.
    <CurrentUserProvider key={state.user.id} user={state.user}>
      <PersonalCache ended={ended}>
        <Dashboard />
      </PersonalCache>
      {ended ? <SessionEnded email={state.user.email} factors={owed} /> : null}
    </CurrentUserProvider>
  )
}

function LoginPart({ children }: { children: ReactNode }) {
  return (
    <ScreenBoundary>
      <Suspense fallback={<FullPageSpinner />}>{children}</Suspense>
    </ScreenBoundary>
  )
}

interface PersonalCacheProps {
  /** The session has ended, and the page stays underneath. */
  ended: boolean
  children: ReactNode
}

/** One person's cached data. The person is its key, so the next one starts with an empty cache. */
function PersonalCache({ ended, children }: PersonalCacheProps) {
  const services = useServices()
  const store = useSessionStore()
  const [queryClient] = useState(() => createQueryClient(() => void checkSession(services, store)))
  const wasEnded = useRef(false)
  useEffect(
    () =>
      whenQuiet(queryClient, () =>
        // The login as well, before it is needed: when a session ends, the server may be out of reach.
        loadWhenIdle([...LAZY_SCREENS, { load: services.auth }, LoginScreen, LinkScreen]),
      ),
    [queryClient, services],
  )
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
      dismissMessages()
      forgetPlaces()
    },
    [queryClient],
  )
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
}

/**
 * The login over the page. If its code cannot be loaded, that is shown over the page too, and nothing typed is lost.
 */
function SessionEnded(props: ComponentProps<typeof SessionEndedDialog>) {
  return (
    <ErrorBoundary
      fallback={({ retry }) => (
        <NotLoadedDialog title="Sua sessão expirou e a tela de login não carregou. O que você digitou continua aqui. Verifique sua conexão e tente novamente.">
          <Button look="onInk" onClick={retry} className="border-current">
            Tentar novamente
          </Button>
        </NotLoadedDialog>
      )}
    >
      <Suspense>
        <SessionEndedDialog {...props} />
      </Suspense>
    </ErrorBoundary>
  )
}

const loadLogin = () => import('../features/session/login-screens.tsx')
/** Not needed at first by people with a session. */
const LoginScreen = lazyPart(async () => (await loadLogin()).LoginScreen)
const CodeScreen = lazyPart(async () => (await loadLogin()).CodeScreen)
const LinkScreen = lazyPart(async () => (await import('../features/session/recovery-screens.tsx')).LinkScreen)
const SessionEndedDialog = lazyPart(async () => (await loadLogin()).SessionEndedDialog)
