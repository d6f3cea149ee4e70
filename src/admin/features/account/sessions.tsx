import { Monitor, Smartphone } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '#admin/components/button.tsx'
import { SectionCard } from '#admin/components/card.tsx'
import { Chip } from '#admin/components/message.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { QueryView, Skeleton } from '#admin/components/query-view.tsx'
import { formatAgo, formatMinute, formatTimestamp } from '#admin/lib/format.ts'
import type { OwnLogin } from '#contract/accounts.ts'
import { useEndLogin, useEndOtherLogins, useLogins } from './api.ts'
import { describeBrowser } from './browser-names.ts'

export function LoginsSection() {
  const logins = useLogins()
  const endOthers = useEndOtherLogins()
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(logins.data?.length ?? 0, heading)
  const others = logins.data?.filter((login) => !login.current).length ?? 0
  return (
    <SectionCard
      title="Sessões ativas"
      heading={heading}
      text="Não reconhece uma sessão? Encerre e altere sua senha."
      action={
        others > 0 ? (
          <Button look="outline" onClick={() => endOthers.mutate()} pending={endOthers.isPending}>
            Encerrar as outras sessões
          </Button>
        ) : null
      }
    >
      <QueryView query={logins} failure="Não foi possível carregar suas sessões." loading={<LoginSkeleton />}>
        {(all) => (
          <ul>
            {all.map((login) => (
              <LoginItem key={login.id} login={login} />
            ))}
          </ul>
        )}
      </QueryView>
    </SectionCard>
  )
}

function LoginItem({ login }: { login: OwnLogin }) {
  const end = useEndLogin()
  const name = describeBrowser(login.user_agent)
  const Icon = isPhone(login.user_agent) ? Smartphone : Monitor
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-5 py-4 sm:px-7">
      <Icon aria-hidden="true" className="size-6 flex-none text-text-2 max-sm:hidden" />
      <div className="min-w-0 flex-[1_1_8rem]">
        <p className="font-semibold" title={login.user_agent}>
          {name}
        </p>
        <ul className="flex flex-wrap gap-x-4 text-sm text-text-2 max-sm:flex-col">
          <li>
            Início:{' '}
            <time dateTime={login.created_at} title={formatTimestamp(login.created_at)}>
              {formatMinute(login.created_at)}
            </time>
          </li>
          <li>
            Último uso:{' '}
            <time dateTime={login.last_used_at} title={formatTimestamp(login.last_used_at)}>
              {formatAgo(login.last_used_at, Date.now())}
            </time>
          </li>
          {login.address === null ? null : <li className="wrap-anywhere">IP: {login.address}</li>}
        </ul>
      </div>
      {login.current ? (
        <Chip look="ok">Esta sessão</Chip>
      ) : (
        <Button
          look="outline"
          aria-label={`Encerrar sessão: ${name}, iniciada em ${formatMinute(login.created_at)}`}
          pending={end.isPending}
          onClick={() => end.mutate(login.id)}
        >
          Encerrar
        </Button>
      )}
    </li>
  )
}

function LoginSkeleton() {
  return (
    <div className="flex items-center gap-4 border-t border-line px-5 py-4 sm:px-7" aria-hidden="true">
      <Skeleton className="size-6 rounded" />
      <div className="grid flex-1 gap-2">
        <Skeleton className="h-4 w-40 rounded" />
        <Skeleton className="h-3 w-56 max-w-full rounded" />
      </div>
    </div>
  )
}

function isPhone(userAgent: string): boolean {
  return /Android|iPhone|iPad/.test(userAgent)
}
