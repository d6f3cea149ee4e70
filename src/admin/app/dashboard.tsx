import { type RefObject, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { ScreenBoundary } from '../components/error-boundary.tsx'
import { focusPageHeading } from '../components/page-heading.tsx'
import { PausedNotice } from '../features/pixels/list/notices.tsx'
import { PixelsScreen } from '../features/pixels/list/pixels-screen.tsx'
import { useProblemCount } from '../features/pixels/tag-status.ts'
import { useSignOut } from '../features/session/session.tsx'
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
  useAddress,
} from '../lib/router.tsx'
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
  roomOf,
  SettingsScreen,
  SubscriptionsScreen,
  type Tab,
  TestScreen,
  TodayStrip,
  TrashScreen,
  tabOf,
} from './routes.tsx'
import { RoomLinks, Shell } from './shell.tsx'

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

/** Its code and its figures come after the list, in a place that is kept for them; without either, the list goes on. */
function TodayPlace() {
  const problems = useProblemCount()
  return (
    <ScreenBoundary>
      <Suspense fallback={<div aria-busy="true" className="today on-ink mb-4 rounded-2xl" />}>
        <TodayStrip problems={problems} />
      </Suspense>
    </ScreenBoundary>
  )
}
