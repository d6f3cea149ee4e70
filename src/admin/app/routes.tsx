import { SlidersHorizontal, UsersRound } from 'lucide-react'
import { type ComponentType, Suspense } from 'react'
import { lazyPart as lazy, ScreenBoundary } from '../components/error-boundary.tsx'
import { ArchIcon } from '../components/text.tsx'
import { PixelsScreen } from '../features/pixels/list/pixels-screen.tsx'
import { useProblemCount } from '../features/pixels/tag-status.ts'
import { useSignOut } from '../features/session/session.tsx'
import { matchRoute, paths, type useRouter } from '../lib/router.tsx'

export const TABS = [
  { id: 'pixels', path: paths.list, label: 'Pixels & Tags', icon: ArchIcon },
  { id: 'users', path: '/admin/usuarios', label: 'Usuários Admin', icon: UsersRound },
  { id: 'settings', path: '/admin/configuracoes', label: 'Configurações', icon: SlidersHorizontal },
] as const

export type Tab = (typeof TABS)[number]

/** A person's own account is no tab: it stands beside "Sair". */
export const ACCOUNT_PATH = '/admin/conta'

interface AdminRoute {
  /** What `:name` matches is a prop of the screen. */
  path: string
  /** The tab that is marked; null beside them. */
  tab: Tab['id'] | null
  /** Of the window, and of the link among the sub-pages; absent where the screen names what it shows. */
  title?: string
  /** False where no link of the navigation leads. */
  nav?: false
  /** Filters in the address. Never an e-mail, a person's name, a code, a token or a search for people. */
  search?: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: its props are the parameters of the path.
  screen: ComponentType<any>
}

const PixelPage = lazy(async () => (await import('../features/pixels/page/pixel-page.tsx')).PixelPage)
const TestScreen = lazy(
  async () => (await import('../features/pixels/test-visit/test-screen.tsx')).TestScreen,
)
const Consent = lazy(async () => (await import('../features/consent/consent-screen.tsx')).ConsentScreen)
const Subscriptions = lazy(
  async () => (await import('../features/subscriptions/subscriptions-screen.tsx')).SubscriptionsScreen,
)
const Inventory = lazy(
  async () => (await import('../features/inventory/inventory-screen.tsx')).InventoryScreen,
)
const Trash = lazy(async () => (await import('../features/pixels/trash-screen.tsx')).TrashScreen)
const AdminUsersScreen = lazy(
  async () => (await import('../features/admin-users/admin-users-screen.tsx')).AdminUsersScreen,
)
const Activity = lazy(async () => (await import('../features/activity/activity-screen.tsx')).ActivityScreen)
const Settings = lazy(async () => (await import('../features/settings/settings-screen.tsx')).SettingsScreen)
const Account = lazy(async () => (await import('../features/account/account-screen.tsx')).AccountScreen)
const TodayStrip = lazy(async () => (await import('../features/overview/today-strip.tsx')).TodayStrip)

/** On every screen: where its code does not come, the screen goes on without it. */
export const InstallationProblems = lazy(() =>
  import('../features/settings/settings-screen.tsx').then(
    (settings) => settings.InstallationProblems,
    () => () => null,
  ),
)

/** The list comes with the page. The others come when they are opened, or before, once there is time. */
export const LAZY_SCREENS = [
  InstallationProblems,
  TodayStrip,
  PixelPage,
  TestScreen,
  Consent,
  Subscriptions,
  Inventory,
  Trash,
  AdminUsersScreen,
  Activity,
  Settings,
  Account,
]

/** Every address of the dashboard, first match first. What matches none is not found. */
export const ROUTES: readonly AdminRoute[] = [
  {
    path: paths.list,
    tab: 'pixels',
    title: 'Pixels',
    search: ['saude', 'tipo', 'status', 'busca', 'codigo'],
    screen: Pixels,
  },
  {
    path: paths.pixel(':pixelId'),
    tab: 'pixels',
    nav: false,
    search: ['contar', 'periodo', 'ver'],
    screen: PixelPage,
  },
  { path: paths.test(':pixelId', ':testId'), tab: 'pixels', nav: false, screen: TestScreen },
  { path: paths.consent, tab: 'pixels', title: 'Consentimento', search: ['dias', 'ver'], screen: Consent },
  {
    path: paths.subscriptions,
    tab: 'pixels',
    title: 'Inscrições',
    search: ['situacao'],
    screen: Subscriptions,
  },
  { path: '/admin/inventario', tab: 'pixels', title: 'Inventário', screen: Inventory },
  { path: '/admin/lixeira', tab: 'pixels', title: 'Lixeira', screen: Trash },
  { path: '/admin/usuarios', tab: 'users', title: 'Usuários', screen: Users },
  { path: '/admin/atividade', tab: 'users', title: 'Atividade', search: ['tipo'], screen: Activity },
  { path: '/admin/configuracoes', tab: 'settings', title: 'Configurações', screen: Settings },
  { path: ACCOUNT_PATH, tab: null, title: 'Minha conta', nav: false, screen: Account },
]

/** Addresses that were sent in e-mails or are in bookmarks, and where they lead today. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  '/admin/problemas': paths.problems,
  '/admin/pixels': paths.list,
}

type Parser = ReturnType<typeof useRouter>['parser']

/** The route of a path with what its parameters match; null when there is none. */
export function findRoute(path: string, parser: Parser) {
  for (const route of ROUTES) {
    const [isMatch, params] = matchRoute(parser, route.path, path)
    if (isMatch) return { route, params }
  }
  return null
}

/** Pages under a tab, its own list first; none where the tab is all there is. */
export function subPagesOf(tab: Tab['id']): readonly { path: string; label: string }[] {
  const pages = ROUTES.filter((route) => route.tab === tab && route.nav !== false)
  return pages.length < 2 ? [] : pages.map(({ path, title = '' }) => ({ path, label: title }))
}

function Pixels() {
  return <PixelsScreen aboveList={<Today />} />
}

/** Its code and its figures come after the list, in a place that is kept for them; without either, the list goes on. */
function Today() {
  const problems = useProblemCount()
  return (
    <ScreenBoundary>
      <Suspense fallback={<div aria-busy="true" className="today on-ink mb-4 rounded-2xl" />}>
        <TodayStrip problems={problems} />
      </Suspense>
    </ScreenBoundary>
  )
}

function Users() {
  const signOut = useSignOut()
  return <AdminUsersScreen onDeletedSelf={() => void signOut('Sua conta foi excluída.')} />
}
