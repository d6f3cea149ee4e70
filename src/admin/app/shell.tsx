import { LogOut, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { BrandMark } from '../components/brand-mark.tsx'
import { Button } from '../components/button.tsx'
import { useKeptFocus } from '../components/use-kept-focus.ts'
import { useCurrentUser } from '../lib/current-user.tsx'
import { openHere } from '../lib/open-here.ts'
import { useServices } from '../lib/services.tsx'
import { SideNavigation } from './side-navigation.tsx'
import { ACCOUNT_PATH, type Tab } from './tabs.ts'

interface ShellProps {
  tab: Tab | null
  onSignOut: () => void
  children: ReactNode
}

export function Shell({ tab, onSignOut, children }: ShellProps) {
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
      <header className="on-ink sticky top-0 z-10 flex h-15 print:hidden items-center gap-1 pr-2 pl-4 md:h-16 md:gap-3 md:px-6">
        <BrandMark className="mr-1.5 w-[26px] flex-none md:mr-0" />
        {/* Words that do not fit go to a line that is not shown: large letters leave the mark alone, and cut nothing. */}
        <h1 className="mr-auto flex h-7 min-w-0 flex-wrap overflow-hidden text-[1.0625rem]/7 tracking-[-0.02em] before:h-7 before:w-0">
          <span className="mr-1 whitespace-nowrap">Admin Dashboard</span>{' '}
          <span className="font-normal whitespace-nowrap text-on-ink-2 max-sm:hidden">{boot.brandName}</span>
        </h1>
        <p title="Você entrou como" className="truncate text-sm text-on-ink-2 max-md:hidden">
          {user.email}
        </p>
        <a
          href={ACCOUNT_PATH}
          aria-label="Minha conta"
          aria-current={tab === null ? 'page' : undefined}
          onClick={(event) => openHere(event, ACCOUNT_PATH)}
          className="inline-flex min-h-11 min-w-11 flex-none items-center justify-center gap-2 rounded-1 px-3 text-[0.9375rem] font-semibold transition-colors duration-150 hover:bg-surface/10 aria-[current=page]:text-accent [&_svg]:size-5"
        >
          <UserRound aria-hidden="true" />
          <span className="max-md:hidden">Minha conta</span>
        </a>
        <Button look="onInk" onClick={onSignOut} className="flex-none max-md:px-3 max-[359px]:[&_svg]:hidden">
          <LogOut aria-hidden="true" />
          Sair
        </Button>
      </header>
      <div className="md:grid md:min-h-[calc(100dvh-64px)] md:grid-cols-[6.5rem_minmax(0,1fr)] lg:grid-cols-[15.5rem_minmax(0,1fr)]">
        <SideNavigation current={tab} />
        <main
          id="conteudo"
          tabIndex={-1}
          className="w-full max-w-[1184px] px-4 pt-6 pb-32 focus:outline-0 md:px-8 md:pt-8 lg:px-10 lg:pt-10"
        >
          {children}
        </main>
      </div>
    </>
  )
}
