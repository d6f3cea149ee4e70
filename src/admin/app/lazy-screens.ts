import { lazyPart, loadWhenIdle } from '../components/lazy-part.ts'

const LOADERS = {
  account: async () => (await import('../features/account/components/account-screen.tsx')).AccountScreen,
  activity: async () => (await import('../features/activity/activity-screen.tsx')).ActivityScreen,
  users: async () =>
    (await import('../features/admin-users/components/admin-users-screen.tsx')).AdminUsersScreen,
  consent: async () => (await import('../features/consent/consent-screen.tsx')).ConsentScreen,
  inventory: async () => (await import('../features/inventory/inventory-screen.tsx')).InventoryScreen,
  today: async () => (await import('../features/overview/today-strip.tsx')).TodayStrip,
  subscriptions: async () =>
    (await import('../features/subscriptions/subscriptions-screen.tsx')).SubscriptionsScreen,
  trash: async () => (await import('../features/pixels/trash/trash-screen.tsx')).TrashScreen,
  pixel: async () => (await import('../features/pixels/page/pixel-page.tsx')).PixelPage,
  test: async () => (await import('../features/pixels/testing/test-screen.tsx')).TestScreen,
  // Shown on every screen: where its code does not come, the screen goes on without it.
  problems: () =>
    import('../features/settings/components/installation-problems.tsx').then(
      ({ InstallationProblems }) => InstallationProblems,
      () => () => null,
    ),
  settings: async () => (await import('../features/settings/components/settings-screen.tsx')).SettingsScreen,
}

/** The pixels come with the page; the other screens when they are opened. */
export const AccountScreen = lazyPart(LOADERS.account)
export const ActivityScreen = lazyPart(LOADERS.activity)
export const AdminUsersScreen = lazyPart(LOADERS.users)
export const ConsentScreen = lazyPart(LOADERS.consent)
export const InventoryScreen = lazyPart(LOADERS.inventory)
export const SubscriptionsScreen = lazyPart(LOADERS.subscriptions)
export const TodayStrip = lazyPart(LOADERS.today)
export const TrashScreen = lazyPart(LOADERS.trash)
export const InstallationProblems = lazyPart(LOADERS.problems)
export const PixelPage = lazyPart(LOADERS.pixel)
export const TestScreen = lazyPart(LOADERS.test)
export const SettingsScreen = lazyPart(LOADERS.settings)

export const loadScreensWhenIdle = () => loadWhenIdle(LOADERS)
