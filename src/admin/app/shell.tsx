import { CircleQuestionMark, ExternalLink, LogOut, UserRound } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { useKeptFocus } from '../components/page-heading.tsx'
import { BrandMark } from '../components/text.tsx'
import { ProblemMark } from '../features/pixels/badges.tsx'
import { Link, paths } from '../lib/router.tsx'
import { useCurrentUser, useServices } from '../lib/services.tsx'
import { ACCOUNT_PATH, subPagesOf, TABS, type Tab } from './routes.tsx'

interface ShellProps {
  /** Null outside of the tabs. */
  tab: Tab | null
  /** Of the current route. */
  path: string
  onSignOut: () => void
  children: ReactNode
}

export function Shell({ tab, path, onSignOut, children }: ShellProps) {
  const { boot } = useServices()
  const user = useCurrentUser()
  useKeptFocus()
  return (
    <>
      <a
        href="#conteudo"
        className="on-ink fixed top-2 left-2 z-20 -translate-y-20 rounded-1 px-4 py-3 font-semibold focus:translate-y-0"
      >
        Pular para o conteúdo
      </a>
      <header className="on-ink sticky top-0 z-10 flex h-15 print:hidden items-center pr-2 pl-4 max-[359px]:pr-1 max-[359px]:pl-3 sm:gap-1 md:h-16 md:gap-3 md:px-6">
        <BrandMark className="mr-2 w-[26px] flex-none max-[359px]:mr-1.5 max-[359px]:w-[22px] md:mr-0" />
        {/* Words that do not fit move to a hidden line: large text keeps the logo and cuts nothing. */}
        <h1 className="mr-auto flex h-7 min-w-0 flex-wrap overflow-hidden text-[1.0625rem]/7 tracking-[-0.02em] max-[359px]:text-[0.9375rem]/7 before:h-7 before:w-0">
          <span className="mr-1 whitespace-nowrap">Admin Dashboard</span>{' '}
          <span className="font-normal whitespace-nowrap text-on-ink-2 max-sm:hidden">{boot.brandName}</span>
        </h1>
        <p title="Conta em uso" className="truncate text-sm text-on-ink-2 max-md:hidden">
          {user.email}
        </p>
        <Link
          href={paths.help()}
          aria-label="Ajuda"
          aria-current={path === paths.help() ? 'page' : path.startsWith(paths.help()) ? 'true' : undefined}
          className={HEADER_LINK}
        >
          <CircleQuestionMark aria-hidden="true" />
          <span className="max-md:hidden">Ajuda</span>
        </Link>
        <Link
          href={ACCOUNT_PATH}
          aria-label="Minha conta"
          aria-current={path === ACCOUNT_PATH ? 'page' : undefined}
          className={HEADER_LINK}
        >
          <UserRound aria-hidden="true" />
          <span className="max-md:hidden">Minha conta</span>
        </Link>
        <Button look="onInk" onClick={onSignOut} className="flex-none max-md:px-3 max-[359px]:[&_svg]:hidden">
          <LogOut aria-hidden="true" />
          Sair
        </Button>
      </header>
      <div className="md:grid md:min-h-[calc(100dvh-64px)] md:grid-cols-[6.5rem_minmax(0,1fr)] lg:grid-cols-[15.5rem_minmax(0,1fr)]">
        <SideNavigation current={tab} path={path} />
        <main
          id="conteudo"
          tabIndex={-1}
          className="w-full max-w-[1184px] px-4 pt-6 pb-32 focus:outline-0 md:px-8 md:pt-8 lg:px-10 lg:pt-10"
        >
          {boot.demonstration ? <DemonstrationNote /> : null}
          {children}
        </main>
      </div>
    </>
  )
}

function DemonstrationNote() {
  return (
    <p
      role="note"
      className="mb-6 rounded-[14px] bg-surface px-4 py-3 text-sm text-text-2 outline-[1.5px] -outline-offset-[1.5px] outline-ink outline-dashed print:hidden"
    >
      <b className="font-semibold text-ink">Dados de demonstração.</b> Nada aqui veio do seu site, e nada foi
      enviado a ninguém.
    </p>
  )
}

/** On a phone as wide as a finger, whatever the text size. */
const HEADER_LINK =
  'inline-flex min-h-11 min-w-11 flex-none items-center justify-center gap-2 rounded-1 px-3 max-sm:min-w-[44px] max-sm:px-0 text-[0.9375rem] font-semibold transition-colors duration-150 hover:bg-surface/10 aria-[current]:text-accent [&_svg]:size-5'

const LINK =
  'relative flex min-h-14 flex-col items-center justify-center gap-0.5 rounded-1 px-0.5 text-center wrap-anywhere hyphens-auto text-xs/tight font-medium text-text-2 hover:bg-ink/5 hover:text-ink md:min-h-16 md:gap-1 lg:min-h-11 lg:flex-row lg:justify-start lg:gap-3 lg:px-3.5 lg:text-left lg:text-base [&_svg]:size-5 [&_svg]:flex-none'

/** `true` for pages below the tab. */
const CURRENT =
  'aria-[current]:font-semibold aria-[current]:text-ink lg:aria-[current]:bg-surface lg:aria-[current]:shadow-low'

/** Marks the current tab: above it on a phone, beside it on the rail, a small arch in the list. */
const MARK =
  'absolute -top-1.5 h-1 w-8 rounded-b bg-accent md:top-4 md:-left-1.5 md:h-8 md:w-1 md:rounded-none md:rounded-r lg:static lg:ml-auto lg:h-[11px] lg:w-2 lg:arch lg:[.tab-mark+&]:hidden'

/** `current` is null outside of the tabs. */
function SideNavigation({ current, path }: { current: Tab | null; path: string }) {
  const { boot } = useServices()
  return (
    <nav
      aria-label="Menu principal"
      className="fixed inset-x-0 bottom-0 print:hidden z-10 grid grid-cols-3 bg-surface px-1.5 pt-1.5 pb-[calc(6px+env(safe-area-inset-bottom))] shadow-[0_-1px_0_var(--line),0_-8px_24px_#0b201b14] md:sticky md:top-16 md:flex md:h-[calc(100dvh-64px)] md:flex-col md:gap-1 md:border-r md:border-line md:bg-transparent md:px-1.5 md:py-4 md:shadow-none lg:px-4 lg:py-6"
    >
      {TABS.map((tab) => (
        <Fragment key={tab.id}>
          <Link
            href={tab.path}
            aria-current={tab !== current ? undefined : path === tab.path ? 'page' : 'true'}
            className={`${LINK} ${CURRENT}`}
          >
            <tab.icon aria-hidden="true" />
            {tab.label}
            {tab.id === 'pixels' ? <ProblemMark /> : null}
            {tab === current ? <span aria-hidden="true" className={MARK} /> : null}
          </Link>
          <SideSubPages tab={tab} path={path} />
        </Fragment>
      ))}
      <a href={boot.siteUrl} target="_blank" rel="noreferrer" className={`${LINK} mt-auto max-md:hidden`}>
        <ExternalLink aria-hidden="true" />
        Ver o site
      </a>
    </nav>
  )
}

/** In the side bar, below their tab. */
function SideSubPages({ tab, path: here }: { tab: Tab; path: string }) {
  const pages = subPagesOf(tab.id).filter(({ path }) => path !== tab.path)
  if (pages.length === 0) return null
  return (
    <ul className="mb-1 ml-[1.4rem] border-l border-line max-lg:hidden">
      {pages.map(({ path, label }) => (
        <li key={path}>
          <Link
            href={path}
            aria-current={here === path ? 'page' : undefined}
            className="-ml-px flex min-h-11 items-center rounded-r-1 border-l-2 border-transparent pl-5 text-[0.9375rem] text-text-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink"
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  )
}

const SUB_PAGES = TABS.flatMap(({ id }) => subPagesOf(id))

/** Without a side bar: one line above the heading, which scrolls if it is too long. */
export function SubPageLinks({ here }: { here: string | undefined }) {
  const current = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place in the line.
  useEffect(() => {
    const line = current.current?.parentElement
    if (line) line.scrollLeft = (current.current?.offsetLeft ?? 0) - line.offsetLeft - 24
  }, [here])
  return (
    <nav
      aria-label="Subpáginas"
      className="-mx-4 -mt-3 mb-3 flex gap-x-5 overflow-x-auto px-4 [scrollbar-width:none] md:-mx-8 md:px-8 lg:hidden print:hidden"
    >
      {SUB_PAGES.map(({ path, label }) => (
        <Link
          key={path}
          ref={here === path ? current : null}
          href={path}
          aria-current={here === path ? 'page' : undefined}
          className="inline-flex min-h-11 min-w-11 flex-none items-center border-b-2 border-transparent text-[0.9375rem] text-text-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
