import { ExternalLink } from 'lucide-react'
import { Fragment } from 'react'
import { ProblemMark } from '../features/pixels/components/problem-mark.tsx'
import { useAddress } from '../lib/address.ts'
import { openHere } from '../lib/open-here.ts'
import { useServices } from '../lib/services.tsx'
import { SideRooms } from './tab-rooms.tsx'
import { TABS, type Tab } from './tabs.ts'

const LINK =
  'relative flex min-h-14 flex-col items-center justify-center gap-0.5 rounded-1 px-0.5 text-center wrap-anywhere hyphens-auto text-xs/tight font-medium text-text-2 hover:bg-ink/5 hover:text-ink md:min-h-16 md:gap-1 lg:min-h-11 lg:flex-row lg:justify-start lg:gap-3 lg:px-3.5 lg:text-left lg:text-base [&_svg]:size-5 [&_svg]:flex-none'
/** `true` on what lies under the tab. */
const CURRENT =
  'aria-[current]:font-semibold aria-[current]:text-ink lg:aria-[current]:bg-surface lg:aria-[current]:shadow-low'
/** Marks the current tab: above it on a phone, at its side on the rail, a small arch in the list. */
const MARK =
  'absolute -top-1.5 h-1 w-8 rounded-b bg-accent md:top-4 md:-left-1.5 md:h-8 md:w-1 md:rounded-none md:rounded-r lg:static lg:ml-auto lg:h-[11px] lg:w-2 lg:arch lg:[.tab-mark+&]:hidden'

/** `current` is null on what is none of the tabs. */
export function SideNavigation({ current }: { current: Tab | null }) {
  const { boot } = useServices()
  const address = useAddress()
  return (
    <nav
      aria-label="Painel"
      className="fixed inset-x-0 bottom-0 print:hidden z-10 grid grid-cols-3 bg-surface px-1.5 pt-1.5 pb-[calc(6px+env(safe-area-inset-bottom))] shadow-[0_-1px_0_var(--line),0_-8px_24px_#0b201b14] md:sticky md:top-16 md:flex md:h-[calc(100dvh-64px)] md:flex-col md:gap-1 md:border-r md:border-line md:bg-transparent md:px-1.5 md:py-4 md:shadow-none lg:px-4 lg:py-6"
    >
      {TABS.map((tab) => (
        <Fragment key={tab.id}>
          <a
            href={tab.path}
            aria-current={tab !== current ? undefined : address === tab.path ? 'page' : 'true'}
            onClick={(event) => openHere(event, tab.path)}
            className={`${LINK} ${CURRENT}`}
          >
            <tab.icon aria-hidden="true" />
            {tab.label}
            {tab.id === 'pixels' ? <ProblemMark /> : null}
            {tab === current ? <span aria-hidden="true" className={MARK} /> : null}
          </a>
          <SideRooms tab={tab} />
        </Fragment>
      ))}
      <a href={boot.siteUrl} target="_blank" rel="noreferrer" className={`${LINK} mt-auto max-md:hidden`}>
        <ExternalLink aria-hidden="true" />
        Ver o site
      </a>
    </nav>
  )
}
