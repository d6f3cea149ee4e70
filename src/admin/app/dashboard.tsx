import { type RefObject, Suspense, useEffect, useRef } from 'react'
import { focusPageHeading } from '../components/page-heading.tsx'
import { ScreenBoundary } from '../components/screen-boundary.tsx'
import { PixelsScreen } from '../features/pixels/components/pixels-screen.tsx'
import { useSignOut } from '../features/session/api/sign-out.ts'
import { useAddress } from '../lib/address.ts'
import { isTrash, pixelIdOf, testOf } from '../lib/places.ts'
import { useServices } from '../lib/services.tsx'
import {
  AccountScreen,
  AdminUsersScreen,
  loadScreensWhenIdle,
  PixelPage,
  SettingsScreen,
  TestScreen,
  TrashScreen,
} from './lazy-screens.ts'
import { RoomLinks } from './pixel-rooms.tsx'
import { Shell } from './shell.tsx'
import { tabOf } from './tabs.ts'

export function Dashboard() {
  const { boot } = useServices()
  const signOut = useSignOut()
  const address = useAddress()
  const tab = tabOf(address)
  const inTrash = isTrash(address)
  const pixelId = pixelIdOf(address) ?? testOf(address)?.testId ?? null
  const arrived = useRef(false)
  useEffect(() => {
    // The page of a pixel, or of its test, has the pixel's name.
    if (pixelId !== null) return
    const place = inTrash ? 'Lixeira' : (tab?.label ?? 'Minha conta')
    document.title = `${place} · Admin Dashboard ${boot.brandName}`
  }, [tab, inTrash, pixelId, boot.brandName])
  useEffect(loadScreensWhenIdle, [])
  return (
    <Shell tab={tab} onSignOut={() => signOut()}>
      {tab?.id === 'pixels' ? <RoomLinks /> : null}
      <ScreenBoundary key={inTrash ? 'trash' : (pixelId ?? tab?.id ?? 'account')}>
        <Suspense fallback={<div aria-busy="true" className="min-h-80" />}>
          {tab === null ? <AccountScreen /> : null}
          {tab?.id === 'pixels' ? <PixelsPlace address={address} /> : null}
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

function PixelsPlace({ address }: { address: string }) {
  const pixelId = pixelIdOf(address)
  if (pixelId !== null) return <PixelPage pixelId={pixelId} />
  const test = testOf(address)
  if (test !== null) return <TestScreen {...test} />
  return isTrash(address) ? <TrashScreen /> : <PixelsScreen />
}

/** Beside the screen, so that it waits for its code too: on every change of screens, the new one's heading has the focus. */
function HeadingFocus({ arrived }: { arrived: RefObject<boolean> }) {
  useEffect(() => {
    if (arrived.current) focusPageHeading()
    arrived.current = true
  }, [arrived])
  return null
}
