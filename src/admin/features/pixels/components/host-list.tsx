import type { ReactNode } from 'react'
import type { HostEntry } from '../group-hosts.ts'

interface HostListProps {
  entries: readonly HostEntry[]
  /** What can be done about one, at its end. */
  renderAction?: (entry: HostEntry) => ReactNode
}

/** Hosts, what the page opens them for, and where each comes from. */
export function HostList({ entries, renderAction }: HostListProps) {
  return (
    <ul>
      {entries.map((entry) => (
        <li
          key={entry.host}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-2 first:border-t-0"
        >
          <div className="min-w-0 flex-[1_1_12rem]">
            <p className="font-mono text-[0.8125rem] wrap-anywhere">{entry.host}</p>
            {entry.origins.map(({ text, directives }) => (
              <p key={text} className="text-sm text-text-2 wrap-anywhere">
                {directives}, {text}
              </p>
            ))}
          </div>
          {renderAction?.(entry)}
        </li>
      ))}
    </ul>
  )
}
