import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import {
  type HeaderChange,
  type Inventory,
  type InventoryItem,
  REASON_MAX_LENGTH,
  type VendorFile,
} from '#contract/inventory.ts'
import { PIXEL_TYPE_LABELS } from '#contract/pixel.ts'
import { useInventory, useSaveReason } from './api.ts'

/** The scripts on the page, who authorised each, and whether their files changed. */
export function InventoryScreen() {
  const inventory = useInventory()
  return (
    <>
      <PageHeading
        title="Inventário"
        subtitle="Os scripts do site: quem ativou, por quê, com que domínios se comunicam e se mudaram."
      />
      <QueryView
        query={inventory}
        failure="Não foi possível carregar o inventário."
        loading={
          <Card aria-busy>
            <LoadingLines label="Carregando o inventário" className="h-24 w-full" />
          </Card>
        }
        frame={(said) => <Card className="mb-4">{said}</Card>}
      >
        {(data) => <Loaded inventory={data} />}
      </QueryView>
    </>
  )
}

function Loaded({ inventory: { items, headers, checks_files } }: { inventory: Inventory }) {
  return (
    <div className="grid gap-4">
      {items.length === 0 ? (
        <Card>
          <EmptyState
            title="Nenhum script no site"
            text="Quando alguém ativar um pixel, ele aparece aqui com autor e motivo."
          />
        </Card>
      ) : (
        <ul aria-label="Scripts do site" className="grid gap-4">
          {items.map((item) => (
            <InventoryRow key={item.pixel_id} item={item} checksFiles={checks_files} />
          ))}
        </ul>
      )}
      <HeadersCard headers={headers} />
      <Card className="px-4 py-4 text-sm text-pretty text-text-2 sm:px-5">
        <p>
          {checks_files
            ? 'Verificamos uma vez por dia se os arquivos das plataformas mudaram. Mudanças são comuns e nem sempre indicam problema.'
            : 'A verificação dos arquivos das plataformas está desativada. Para ativar, peça à equipe de TI (VENDOR_FILE_CHECKS).'}
        </p>
        <SaibaMais about="sobre o inventário" topic="inventário">
          {checks_files ? (
            <p>
              A verificação não usa dados de visitantes. O navegador de cada visitante pode receber um arquivo
              diferente, e o código gerado durante a visita não é verificado. Para receber um aviso a cada
              mudança, ative em Minha conta.
            </p>
          ) : null}
          <p>
            Este inventário segue o formato dos requisitos 6.4.3 e 11.6.1 do PCI DSS, criados para páginas de
            pagamento. Como o site não recebe dados de cartão, eles não são obrigatórios aqui, e o inventário
            não comprova conformidade.
          </p>
        </SaibaMais>
      </Card>
    </div>
  )
}

/** The headers of the public page, and their changes. */
function HeadersCard({ headers }: { headers: readonly HeaderChange[] }) {
  return (
    <Card role="region" aria-labelledby="headers-heading" className="px-4 py-4 sm:px-5">
      <h3 id="headers-heading" className="text-base tracking-tight">
        Cabeçalhos de segurança da página
      </h3>
      <p className="text-sm text-pretty text-text-2">
        Registramos cada mudança nas configurações de segurança da página.
      </p>
      <SaibaMais about="sobre os cabeçalhos">
        <p>
          Elas mudam quando você altera tags. Uma mudança "sem alteração de tags" vem de uma nova versão ou
          configuração do site.
        </p>
      </SaibaMais>
      {headers.length === 0 ? (
        <p className="mt-3 text-[0.9375rem]">Nenhuma mudança registrada ainda.</p>
      ) : null}
      <ol className="mt-2">
        {headers.map(({ hash, since, unasked }) => (
          <li key={since + hash} className="border-t border-line py-2.5 text-[0.9375rem] first:border-t-0">
            {`Desde ${formatMinute(since)}`}
            {unasked ? <b className="font-semibold"> · sem alteração de tags</b> : ''}
            <span className="block font-mono text-xs wrap-anywhere text-text-2">{`sha256 ${hash}`}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

interface InventoryRowProps {
  item: InventoryItem
  checksFiles: boolean
}

/** One script: who authorised it, why, its hosts and its files. */
function InventoryRow({ item, checksFiles }: InventoryRowProps) {
  const kind = item.vendors.length === 0 ? PIXEL_TYPE_LABELS[item.type] : item.vendors.join(', ')
  return (
    <li>
      <Card className="px-4 py-4 sm:px-5">
        <h3 className="text-base tracking-tight wrap-anywhere">
          <Link
            href={paths.pixel(item.pixel_id)}
            className="inline-flex min-h-11 items-center underline-offset-4 hover:underline"
          >
            {item.name}
          </Link>
        </h3>
        <p className="text-sm text-text-2">
          {`${kind} · ${TAG_CATEGORY_LABELS[item.category]} · ${placeOf(item)}`}
        </p>
        <dl className="mt-3 grid gap-x-5 text-[0.9375rem] sm:gap-y-2.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
          <Fact term="Ativada por">
            {item.authorised === null
              ? 'Autor desconhecido (anterior ao histórico)'
              : `${item.authorised.by}, em ${formatMinute(item.authorised.at)}`}
          </Fact>
          <Fact term="Motivo">
            <ReasonNote item={item} />
          </Fact>
          <Fact term="Domínios">{item.hosts.length === 0 ? 'Nenhum' : item.hosts.join(', ')}</Fact>
          <Fact term="Arquivos">
            {item.own_files.length + item.vendor_files.length === 0 ? 'Nenhum arquivo' : null}
            <ul className="grid gap-2">
              {item.own_files.map(({ path: file, sha256 }) => (
                <li key={file}>
                  Arquivo do nosso site: <span className="font-mono text-sm">{file}</span>
                  <Hash value={sha256} />
                </li>
              ))}
              {item.vendor_files.map((file) => (
                <li key={file.url}>
                  Arquivo da plataforma: <span className="font-mono text-sm">{file.url}</span>
                  <span className="block text-sm text-text-2">{describeFile(file, checksFiles)}</span>
                  {file.sha256 === null ? null : <Hash value={file.sha256} />}
                </li>
              ))}
            </ul>
          </Fact>
        </dl>
      </Card>
    </li>
  )
}

function placeOf({ told_by, runs_in, on_page_since, in_html }: InventoryItem): string {
  if (on_page_since === null)
    return in_html ? 'No HTML da página inicial, para todos' : 'Ativa, mas fora da página agora'
  const since = `desde ${formatMinute(on_page_since)}`
  if (!told_by.includes('browser')) return `Só pelo servidor ${since}`
  return runs_in === 'isolated' ? `Isolada da página ${since}` : `Na página ${since}`
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text-2">{term}</dt>
      <dd className="min-w-0 wrap-anywhere max-sm:mb-3">{children}</dd>
    </>
  )
}

function Hash({ value }: { value: string }) {
  return <span className="block font-mono text-xs text-text-2">{`sha256 ${value}`}</span>
}

/** What our server knows of a vendor's file, as a sentence. */
function describeFile(file: VendorFile, checksFiles: boolean): string {
  const { outcome, reason, checked_at, changed_at, changes } = file
  if (!checksFiles && checked_at === null) return 'A verificação está desativada no servidor.'
  if (checked_at === null) return 'Ainda não verificado.'
  const when = formatMinute(checked_at)
  if (outcome === 'failed') return `Falha na verificação em ${when}: ${explain(reason)}.`
  if (changed_at === null) return `Sem mudanças. Verificado em ${when}.`
  const times = changes === 1 ? 'Mudou 1 vez' : `Mudou ${changes} vezes`
  return `${times}. Última mudança: ${formatMinute(changed_at)}. Verificado em ${when}.`
}

function explain(reason: string | null): string {
  const status = /^http_(\d{3})$/.exec(reason ?? '')?.[1]
  if (status?.startsWith('3')) return 'o endereço redireciona para outro'
  if (status !== undefined) return `a plataforma respondeu com o erro ${status}`
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN') return 'o endereço não foi encontrado'
  if (reason === 'ETIMEDOUT' || reason === 'UND_ERR_CONNECT_TIMEOUT')
    return 'a plataforma demorou para responder'
  if (reason === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'o arquivo é grande demais'
  if (reason === 'encoded') return 'o arquivo veio compactado'
  return reason ?? 'a plataforma não respondeu'
}

/** The reason, or the button to add one. */
export function ReasonNote({ item }: { item: InventoryItem }) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState(item.reason ?? '')
  const save = useSaveReason(item)
  if (!isOpen)
    return (
      <>
        {item.reason ?? <span className="text-text-2">Não informado</span>}{' '}
        <QuietButton
          className="-my-2.5 mx-0 inline-flex px-1"
          aria-label={`${item.reason === null ? 'Adicionar motivo' : 'Editar motivo'}: ${item.name}`}
          onClick={() => {
            setText(item.reason ?? '')
            setOpen(true)
          }}
        >
          {item.reason === null ? 'Adicionar motivo' : 'Editar'}
        </QuietButton>
      </>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(text, { onSuccess: () => setOpen(false) })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <Field label="Por que esta tag está no site?" className="flex-[1_1_16rem]">
        {(control) => (
          <Input
            {...control}
            autoFocus
            autoComplete="off"
            maxLength={REASON_MAX_LENGTH}
            placeholder="Ex.: medir as campanhas de verão"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" pending={save.isPending} className="min-h-12">
        Salvar
      </Button>
      <Button look="outline" className="min-h-12" onClick={() => setOpen(false)}>
        Cancelar
      </Button>
    </form>
  )
}
