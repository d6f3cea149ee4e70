import { type RefObject, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { focusPageHeading } from '../components/page-heading.tsx'
import { ScreenBoundary } from '../components/screen-boundary.tsx'
import { PausedNotice } from '../features/pixels/components/paused-notice.tsx'
import { PixelsScreen } from '../features/pixels/components/pixels-screen.tsx'
import { useSignOut } from '../features/session/api/sign-out.ts'
import { useAddress } from '../lib/address.ts'
import {
  ACTIVITY_PATH,
  CONSENT_PATH,
  INVENTORY_PATH,
  isAt,
  LIST_PATH,
  PROBLEMS_PATH,
  pixelIdOf,
  SUBSCRIPTIONS_PATH,
  TRASH_PATH,
  testOf,
} from '../lib/places.ts'
import { useServices } from '../lib/services.tsx'
import {
  AccountScreen,
  ActivityScreen,
  AdminUsersScreen,
  ConsentScreen,
  InstallationProblems,
  InventoryScreen,
  loadScreensWhenIdle,
  PixelPage,
  SettingsScreen,
  SubscriptionsScreen,
  TestScreen,
  TrashScreen,
} from './lazy-screens.ts'
import { roomOf } from './rooms.ts'
import { Shell } from './shell.tsx'
import { RoomLinks } from './tab-rooms.tsx'
import { type Tab, tabOf } from './tabs.ts'
import { TodayPlace } from './today-place.tsx'

export function Dashboard() {
  const { boot } = useServices()
  const signOut = useSignOut()
  const address = useAddress()
  const tab = tabOf(address)
  const room = roomOf(address)
  const pixelId = pixelIdOf(address) ?? testOf(address)?.testId ?? null
  const arrived = useRef(false)
  // The list has the switch itself.
  const isList = isAt(LIST_PATH, address) || isAt(PROBLEMS_PATH, address)
  useEffect(() => {
    // The page of a pixel, or of its test, has the pixel's name.
    if (pixelId !== null) return
    const place = room?.label ?? tab?.label ?? 'Minha conta'
    document.title = `${place} · Admin Dashboard ${boot.brandName}`
  }, [tab, room, pixelId, boot.brandName])
  useEffect(loadScreensWhenIdle, [])
  return (
    <Shell tab={tab} onSignOut={() => signOut()}>
      <Suspense>
        <InstallationProblems />
      </Suspense>
      <RoomLinks tab={tab} />
      {isList ? null : <PausedNotice />}
      <ScreenBoundary key={pixelId ?? keyOf(address, tab)}>
        <Suspense fallback={<div aria-busy="true" className="min-h-80" />}>
          {tab === null ? <AccountScreen /> : null}
          {tab?.id === 'pixels' ? <PixelsPlace address={address} /> : null}
          {tab?.id !== 'users' ? null : isAt(ACTIVITY_PATH, address) ? (
            <ActivityScreen />
          ) : (
            <AdminUsersScreen onDeletedSelf={() => signOut('Sua conta foi excluída.')} />
          )}
          {tab?.id === 'settings' ? <SettingsScreen /> : null}
          <HeadingFocus arrived={arrived} />
        </Suspense>
      </ScreenBoundary>
    </Shell>
  )
}

/** Another one is another screen. */
function keyOf(address: string, tab: Tab | null): string {
  if (isAt(PROBLEMS_PATH, address)) return PROBLEMS_PATH
  return roomOf(address)?.path ?? tab?.id ?? 'account'
}

function PixelsPlace({ address }: { address: string }) {
  const pixelId = pixelIdOf(address)
  if (pixelId !== null) return <PixelPage pixelId={pixelId} />
  const test = testOf(address)
  if (test !== null) return <TestScreen {...test} />
  if (isAt(CONSENT_PATH, address)) return <ConsentScreen />
  if (isAt(SUBSCRIPTIONS_PATH, address)) return <SubscriptionsScreen />
  if (isAt(INVENTORY_PATH, address)) return <InventoryScreen />
  if (isAt(TRASH_PATH, address)) return <TrashScreen />
  return <PixelsScreen onlyProblems={isAt(PROBLEMS_PATH, address)} aboveList={<TodayPlace />} />
}

/** Beside the screen, so that it waits for its code too: on every change of screens, the new one's heading has the focus. */
function HeadingFocus({ arrived }: { arrived: RefObject<boolean> }) {
  // With the screen itself: any later, and it would take the focus from whatever was clicked meanwhile.
  useLayoutEffect(() => {
    if (arrived.current) focusPageHeading()
    arrived.current = true
  }, [arrived])
  return null
}
