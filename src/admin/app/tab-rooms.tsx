import { useAddress } from '../lib/address.ts'
import { openHere } from '../lib/open-here.ts'
import { ROOMS, roomOf } from './rooms.ts'
import type { Tab } from './tabs.ts'

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

/** What the tab's own list is called among its rooms. */
const OWN_LIST: Record<Tab['id'], string> = { pixels: 'Pixels', users: 'Usuários', settings: '' }

/** Where there is no side bar, a line of links above the heading. */
export function RoomLinks({ tab }: { tab: Tab }) {
  const here = roomOf(useAddress())
  if (ROOMS[tab.id].length === 0) return null
  return (
    <nav aria-label={`Em ${tab.label}`} className="-mt-3 mb-3 flex flex-wrap gap-x-5 lg:hidden print:hidden">
      {[{ path: tab.path, label: OWN_LIST[tab.id] }, ...ROOMS[tab.id]].map(({ path, label }) => (
        <a
          key={path}
          href={path}
          aria-current={(here?.path ?? tab.path) === path ? 'page' : undefined}
          onClick={(event) => openHere(event, path)}
          className="inline-flex min-h-11 min-w-11 items-center border-b-2 border-transparent text-[0.9375rem] text-text-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink"
        >
          {label}
        </a>
      ))}
    </nav>
  )
}
