import { type RefObject, Suspense, useLayoutEffect, useRef } from 'react'
import { ScreenBoundary } from '../components/error-boundary.tsx'
import { focusPageHeading, NotFound, usePageTitle } from '../components/page-heading.tsx'
import { PausedNotice } from '../features/pixels/list/notices.tsx'
import { useSignOut } from '../features/session/session.tsx'
import {
  keepParameters,
  navigate,
  paths,
  scrollPage,
  takeArrival,
  useLocation,
  useRouter,
} from '../lib/router.tsx'
import { findRoute, InstallationProblems, PasswordOffer, REDIRECTS, TABS } from './routes.tsx'
import { Shell, SubPageLinks } from './shell.tsx'

/** The screen of the address, in its frame. */
export function Dashboard() {
  const signOut = useSignOut()
  const { parser } = useRouter()
  const [address] = useLocation()
  const path = withoutSlash(address)
  const redirect = REDIRECTS[path]
  const found = findRoute(path, parser)
  const arrived = useRef(false)
  const tab = TABS.find(({ id }) => id === found?.route.tab) ?? null
  const isTab = tab !== null && tab.path === found?.route.path
  usePageTitle(isTab ? tab.label : found === null ? NOT_FOUND : found.route.title)
  useLayoutEffect(() => {
    if (redirect !== undefined) navigate(redirect, { replace: true })
    else keepParameters(found?.route.search ?? [])
  })
  return (
    <Shell tab={tab} path={found?.route.path ?? path} onSignOut={() => void signOut()}>
      <Suspense>
        <InstallationProblems offer={<PasswordOffer />} />
      </Suspense>
      <SubPageLinks here={found?.route.nav === false ? tab?.path : found?.route.path} />
      {/* The list has the switch itself. */}
      {found?.route.path === paths.list ? null : <PausedNotice />}
      {/* Another screen, or another pixel, starts anew. */}
      <ScreenBoundary key={found === null || found.route.nav === false ? path : found.route.path}>
        <Suspense fallback={<div aria-busy="true" className="min-h-80" />}>
          {found !== null ? (
            <found.route.screen {...found.params} />
          ) : redirect ? null : (
            <NotFound
              heading={NOT_FOUND}
              title="Este endereço não existe no painel"
              text="Ele pode estar incompleto ou ser de uma página que mudou de lugar."
            />
          )}
          <Arrival arrived={arrived} />
        </Suspense>
      </ScreenBoundary>
    </Shell>
  )
}

function withoutSlash(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '')
}

/**
 * Beside the screen, so that it waits for its code too: sets focus on the new heading and restores the scroll position.
 */
function Arrival({ arrived }: { arrived: RefObject<boolean> }) {
  // Together with the screen: later, it would take the focus from what was clicked meanwhile.
  useLayoutEffect(() => {
    const arrival = takeArrival()
    if (arrived.current && arrival !== null) {
      focusPageHeading()
      scrollPage(arrival.top)
    }
    arrived.current = true
  })
  return null
}

const NOT_FOUND = 'Página não encontrada'
