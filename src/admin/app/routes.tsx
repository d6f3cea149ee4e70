import { SlidersHorizontal, UsersRound } from 'lucide-react'
import { type ComponentType, Suspense } from 'react'
import { lazyPart as lazy, ScreenBoundary } from '../components/error-boundary.tsx'
import { ArchIcon } from '../components/text.tsx'
import { type ListFacts, PixelsScreen } from '../features/pixels/list/pixels-screen.tsx'
import { useProblemCount } from '../features/pixels/tag-status.ts'
import { useSignOut } from '../features/session/session.tsx'
import { matchRoute, paths, type useRouter } from '../lib/router.tsx'

export const TABS = [
  { id: 'pixels', path: paths.list, label: 'Pixels & Tags', icon: ArchIcon },
  { id: 'users', path: '/admin/usuarios', label: 'Usuários Admin', icon: UsersRound },
  { id: 'settings', path: '/admin/configuracoes', label: 'Configurações', icon: SlidersHorizontal },
] as const

export type Tab = (typeof TABS)[number]

/** Not a tab: it is linked beside "Sair", like the guide. */
export const ACCOUNT_PATH = paths.account

interface AdminRoute {
  /** `:name` becomes a prop of the screen. */
  path: string
  /** The current tab; null if there is none. */
  tab: Tab['id'] | null
  /** Title of the window and of the sub-page link; absent if the screen sets its own. */
  title?: string
  /** False if the navigation has no link to it. */
  nav?: false
  /** Filters in the address. Never an email, a person's name, a code, a token or a search for people. */
  search?: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: its props are the parameters of the path.
  screen: ComponentType<any>
}

const PixelPage = lazy(async () => (await import('../features/pixels/page/pixel-page.tsx')).PixelPage)
const TestScreen = lazy(
  async () => (await import('../features/pixels/test-visit/test-screen.tsx')).TestScreen,
)
const Visits = lazy(async () => (await import('../features/visits/visits-screen.tsx')).VisitsScreen)
const Consent = lazy(async () => (await import('../features/consent/consent-screen.tsx')).ConsentScreen)
/** Loaded only when it is opened: with it the other screens would be past their budget of bytes. */
const Outcomes = lazy(async () => (await import('../features/outcomes/outcomes-screen.tsx')).OutcomesScreen)
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
/** Loaded only when it is opened: it contains the whole guide. */
const Help = lazy(async () => (await import('../features/help/help-screen.tsx')).HelpScreen)
const AboveList = lazy(async () => (await import('../features/overview/above-list.tsx')).AboveList)
const BelowList = lazy(async () => (await import('../features/overview/above-list.tsx')).BelowList)

/** On every screen: if its code cannot be loaded, the screen works without it. */
export const InstallationProblems = lazy(() =>
  import('../features/settings/settings-screen.tsx').then(
    (settings) => settings.InstallationProblems,
    () => () => null,
  ),
)

/** For the few who need it: on every screen, and every screen works without it. */
export const PasswordOffer = lazy(() =>
  import('../features/account/password-offer.tsx').then(
    (account) => account.PasswordOffer,
    () => () => null,
  ),
)

/** The list is loaded with the page; the others on demand, or earlier when idle. */
export const LAZY_SCREENS = [
  InstallationProblems,
  AboveList,
  PixelPage,
  TestScreen,
  Visits,
  Consent,
  Subscriptions,
  Inventory,
  Trash,
  AdminUsersScreen,
  Activity,
  Settings,
  Account,
]

/** Every address of the dashboard; the first match wins. Others are not found. */
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
  {
    path: paths.visits,
    tab: 'pixels',
    title: 'Visitas',
    search: ['periodo', 'metrica', 'ver', 'por', 'canal', 'campanha', 'origem', 'termo', 'dispositivo'],
    screen: Visits,
  },
  { path: paths.outcomes, tab: 'pixels', title: 'Resultados', search: ['modo', 'dias'], screen: Outcomes },
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
  { path: paths.help(), tab: null, nav: false, search: ['busca'], screen: Help },
  { path: paths.help(':chapter'), tab: null, nav: false, search: ['busca'], screen: Help },
]

/** Addresses in old emails and bookmarks, and their targets today. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  '/admin/problemas': paths.problems,
  '/admin/pixels': paths.list,
}

type Parser = ReturnType<typeof useRouter>['parser']

/** The route of a path with its parameters; null if there is none. */
export function findRoute(path: string, parser: Parser) {
  for (const route of ROUTES) {
    const [isMatch, params] = matchRoute(parser, route.path, path)
    if (isMatch) return { route, params }
  }
  return null
}

/** Pages under a tab, its own list first; empty if there is only one. */
export function subPagesOf(tab: Tab['id']): readonly { path: string; label: string }[] {
  const pages = ROUTES.filter((route) => route.tab === tab && route.nav !== false)
  return pages.length < 2 ? [] : pages.map(({ path, title = '' }) => ({ path, label: title }))
}

function Pixels() {
  return (
    <PixelsScreen aboveList={(list) => <Today {...list} />} belowList={(list) => <StepsLeft {...list} />} />
  )
}

/** Its code and figures load after the list, in reserved space; the list works without them. */
function Today(list: ListFacts) {
  const problems = useProblemCount()
  return (
    <ScreenBoundary>
      <Suspense fallback={<div aria-busy="true" className="today on-ink mb-4 rounded-2xl" />}>
        <AboveList problems={problems} {...list} />
      </Suspense>
    </ScreenBoundary>
  )
}

function StepsLeft(list: ListFacts) {
  return (
    <Suspense>
      <BelowList {...list} />
    </Suspense>
  )
}

function Users() {
  const signOut = useSignOut()
  return <AdminUsersScreen onDeletedSelf={() => void signOut('Sua conta foi excluída.')} />
}
