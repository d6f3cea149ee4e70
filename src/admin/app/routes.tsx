import { SlidersHorizontal, UsersRound } from 'lucide-react'
import { lazyPart, loadWhenIdle } from '../components/error-boundary.tsx'
import { DoorIcon } from '../components/text.tsx'
import {
  ACTIVITY_PATH,
  CONSENT_PATH,
  INVENTORY_PATH,
  isAt,
  SUBSCRIPTIONS_PATH,
  TRASH_PATH,
} from '../lib/router.tsx'

const LOADERS = {
  account: async () => (await import('../features/account/account-screen.tsx')).AccountScreen,
  activity: async () => (await import('../features/activity/activity-screen.tsx')).ActivityScreen,
  users: async () => (await import('../features/admin-users/admin-users-screen.tsx')).AdminUsersScreen,
  consent: async () => (await import('../features/consent/consent-screen.tsx')).ConsentScreen,
  inventory: async () => (await import('../features/inventory/inventory-screen.tsx')).InventoryScreen,
  today: async () => (await import('../features/overview/today-strip.tsx')).TodayStrip,
  subscriptions: async () =>
    (await import('../features/subscriptions/subscriptions-screen.tsx')).SubscriptionsScreen,
  trash: async () => (await import('../features/pixels/trash-screen.tsx')).TrashScreen,
  pixel: async () => (await import('../features/pixels/page/pixel-page.tsx')).PixelPage,
  test: async () => (await import('../features/pixels/test-visit/test-screen.tsx')).TestScreen,
  // Shown on every screen: where its code does not come, the screen goes on without it.
  problems: () =>
    import('../features/settings/settings-screen.tsx').then(
      ({ InstallationProblems }) => InstallationProblems,
      () => () => null,
    ),
  settings: async () => (await import('../features/settings/settings-screen.tsx')).SettingsScreen,
}

export const InstallationProblems = lazyPart(LOADERS.problems)

/** The pixels come with the page; the other screens when they are opened. */
export const AccountScreen = lazyPart(LOADERS.account)

export const ActivityScreen = lazyPart(LOADERS.activity)

export const AdminUsersScreen = lazyPart(LOADERS.users)

export const ConsentScreen = lazyPart(LOADERS.consent)

export const InventoryScreen = lazyPart(LOADERS.inventory)

export const SubscriptionsScreen = lazyPart(LOADERS.subscriptions)

export const TodayStrip = lazyPart(LOADERS.today)

export const TrashScreen = lazyPart(LOADERS.trash)

export const PixelPage = lazyPart(LOADERS.pixel)

export const TestScreen = lazyPart(LOADERS.test)

export const SettingsScreen = lazyPart(LOADERS.settings)

export const loadScreensWhenIdle = () => loadWhenIdle(LOADERS)

interface Room {
  path: string
  label: string
}

/** What lies under a tab and has an address of its own. */
export const ROOMS: Record<Tab['id'], readonly Room[]> = {
  pixels: [
    { path: CONSENT_PATH, label: 'Consentimento' },
    { path: SUBSCRIPTIONS_PATH, label: 'Inscrições' },
    { path: INVENTORY_PATH, label: 'Inventário' },
    { path: TRASH_PATH, label: 'Lixeira' },
  ],
  users: [{ path: ACTIVITY_PATH, label: 'Atividade' }],
  settings: [],
}

/** The room of an address; undefined for a tab itself, and for what is a part of its list. */
export function roomOf(address: string): Room | undefined {
  return Object.values(ROOMS)
    .flat()
    .find(({ path }) => isAt(path, address))
}

export const TABS = [
  { id: 'pixels', path: '/admin', label: 'Pixels & Tags', icon: DoorIcon },
  { id: 'users', path: '/admin/usuarios', label: 'Usuários Admin', icon: UsersRound },
  { id: 'settings', path: '/admin/configuracoes', label: 'Configurações', icon: SlidersHorizontal },
] as const

export type Tab = (typeof TABS)[number]

/** A person's own account is no tab: it stands beside "Sair". */
export const ACCOUNT_PATH = '/admin/conta'

/** The tab of an address, null on the account; whatever is not one, what lies under the first among it, is the first's. */
export function tabOf(path: string): Tab | null {
  const address = path.replace(/(?<!\/)\/+$/, '')
  if (address === ACCOUNT_PATH) return null
  if (address === ACTIVITY_PATH) return TABS[1]
  return TABS.find((tab) => tab.path === address) ?? TABS[0]
}
