import { useEffect, useRef } from 'react'
import { useAddress } from '../lib/address.ts'
import { openHere } from '../lib/open-here.ts'
import { ROOMS, roomOf } from './rooms.ts'
import { TABS, type Tab } from './tabs.ts'

/** In the side bar, under the tab that they belong to. */
export function SideRooms({ tab }: { tab: Tab }) {
  const here = roomOf(useAddress())
  if (ROOMS[tab.id].length === 0) return null
  return (
    <ul className="mb-1 ml-[1.4rem] border-l border-line max-lg:hidden">
      {ROOMS[tab.id].map(({ path, label }) => (
        <li key={path}>
          <a
            href={path}
            aria-current={here?.path === path ? 'page' : undefined}
            onClick={(event) => openHere(event, path)}
            className="-ml-px flex min-h-11 items-center rounded-r-1 border-l-2 border-transparent pl-5 text-[0.9375rem] text-text-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink"
          >
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** What a tab's own list is called among the sub-pages. */
const OWN_LISTS: Record<Tab['id'], string> = { pixels: 'Pixels', users: 'Usuários', settings: '' }
const ALL = TABS.flatMap(({ id, path }) =>
  ROOMS[id].length === 0 ? [] : [{ path: path as string, label: OWN_LISTS[id] }, ...ROOMS[id]],
)

/** Where there is no side bar, one line above the heading, the same on every tab; it slides where it is too long. */
export function RoomLinks({ tab }: { tab: Tab | null }) {
  const address = useAddress()
  const here = roomOf(address)?.path ?? tab?.path
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
      {ALL.map(({ path, label }) => (
        <a
          key={path}
          ref={here === path ? current : null}
          href={path}
          aria-current={here === path ? 'page' : undefined}
          onClick={(event) => openHere(event, path)}
          className="inline-flex min-h-11 min-w-11 flex-none items-center border-b-2 border-transparent text-[0.9375rem] text-text-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink"
        >
          {label}
        </a>
      ))}
    </nav>
  )
}
