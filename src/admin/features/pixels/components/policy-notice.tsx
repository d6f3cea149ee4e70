import { MessageBox } from '#admin/components/message-box.tsx'
import { formatCount } from '#contract/format-count.ts'
import type { PolicySize } from '#contract/tag-status.ts'
import { useTagOverview } from '../api/tag-overview.ts'

/** Before the hosts of the tags no longer fit into the head of the page: how full it is, and of whose hosts. */
export function PolicyNotice() {
  const policy = useTagOverview((overview) => overview.policy).data
  if (policy === undefined || policy.bytes < policy.warn_from) return null
  return (
    <div className="mt-4">
      <MessageBox look="warn" advice={advise(policy)}>
        Os hosts das tags ativas deixam o cabeçalho da página com {toKilobytes(policy.bytes)} (o limite é{' '}
        {toKilobytes(policy.limit)}).
      </MessageBox>
    </div>
  )
}

function advise({ bytes, limit, largest }: PolicySize): string {
  const risk =
    bytes >= limit
      ? 'As tags que não couberam ficaram fora da página.'
      : 'Um servidor intermediário com a configuração de fábrica (nginx: 4 KB) pode recusar a página.'
  const names = largest.map(({ name, hosts }) => `${name} (${formatCount(hosts, 'host', 'hosts')})`)
  return `${risk} Quem usa mais: ${names.join(', ')}. Desative uma delas ou tire endereços do código.`
}

function toKilobytes(bytes: number): string {
  return `${(bytes / 1024).toLocaleString('pt-BR', { maximumFractionDigits: 1 })} KB`
}
