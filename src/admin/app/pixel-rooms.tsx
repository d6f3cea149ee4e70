import { useAddress } from '../lib/address.ts'
import { openHere } from '../lib/open-here.ts'
import { isTrash, TRASH_PATH } from '../lib/places.ts'
import { TABS } from './tabs.ts'

const ROOMS = [{ path: TRASH_PATH, label: 'Lixeira', isHere: isTrash }] as const

/** In the side bar, under the tab that they belong to. */
export function SideRooms() {
  const address = useAddress()
  return (
    <ul className="mb-1 ml-[1.4rem] border-l border-line max-lg:hidden">
      {ROOMS.map(({ path, label, isHere }) => (
        <li key={path}>
          <a
            href={path}
            aria-current={isHere(address) ? 'page' : undefined}
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

/** Where there is no side bar, a line of links above the heading. */
export function RoomLinks() {
  const address = useAddress()
  const [pixels] = TABS
  return (
    <nav aria-label={`Em ${pixels.label}`} className="-mt-3 mb-3 flex gap-x-5 lg:hidden">
      {[
        {
          path: pixels.path,
          label: 'Pixels',
          isHere: (path: string) => !ROOMS.some((room) => room.isHere(path)),
        },
        ...ROOMS,
      ].map(({ path, label, isHere }) => (
        <a
          key={path}
          href={path}
          aria-current={isHere(address) ? 'page' : undefined}
          onClick={(event) => openHere(event, path)}
          className="inline-flex min-h-11 min-w-11 items-center border-b-2 border-transparent text-[0.9375rem] text-text-2 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-semibold aria-[current=page]:text-ink"
        >
          {label}
        </a>
      ))}
    </nav>
  )
}
