import { type RefObject, Suspense, useEffect, useRef } from 'react'
import { focusPageHeading } from '../components/page-heading.tsx'
import { ScreenBoundary } from '../components/screen-boundary.tsx'
import { PixelsScreen } from '../features/pixels/components/pixels-screen.tsx'
import { useSignOut } from '../features/session/api/sign-out.ts'
import { useAddress } from '../lib/address.ts'
import { useServices } from '../lib/services.tsx'
import { AccountScreen, AdminUsersScreen, loadScreensWhenIdle, SettingsScreen } from './lazy-screens.ts'
import { Shell } from './shell.tsx'
import { tabOf } from './tabs.ts'

export function Dashboard() {
  const { boot } = useServices()
  const signOut = useSignOut()
  const tab = tabOf(useAddress())
  const arrived = useRef(false)
  useEffect(() => {
    document.title = `${tab?.label ?? 'Minha conta'} · Admin Dashboard ${boot.brandName}`
  }, [tab, boot.brandName])
  useEffect(loadScreensWhenIdle, [])
  return (
    <Shell tab={tab} onSignOut={() => signOut()}>
      <ScreenBoundary key={tab?.id ?? 'account'}>
        <Suspense fallback={<div aria-busy="true" className="min-h-80" />}>
          {tab === null ? <AccountScreen /> : null}
          {tab?.id === 'pixels' ? <PixelsScreen /> : null}
          {tab?.id === 'users' ? (
            <AdminUsersScreen onDeletedSelf={() => signOut('Sua conta foi excluída.')} />
          ) : null}
          {tab?.id === 'settings' ? <SettingsScreen /> : null}
          <HeadingFocus arrived={arrived} />
        </Suspense>
      </ScreenBoundary>
    </Shell>
  )
}

/** Beside the screen, so that it waits for its code too: on every change of screens, the new one's heading has the focus. */
function HeadingFocus({ arrived }: { arrived: RefObject<boolean> }) {
  useEffect(() => {
    if (arrived.current) focusPageHeading()
    arrived.current = true
  }, [arrived])
  return null
}
