import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
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

/** Which scripts are on the page, who answers for each, and whether their files are what they were. */
export function InventoryScreen() {
  const inventory = useInventory()
  return (
    <>
      <PageHeading
        title="Inventário"
        subtitle="Cada script da página: quem autorizou, por quê, com quem pode falar e se o arquivo mudou."
      />
      <QueryView
        query={inventory}
        failure="Não deu para carregar o inventário."
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
            title="Nenhum script autorizado"
            text="Quando um pixel for ativado, ele aparece aqui com quem o ativou e o motivo."
          />
        </Card>
      ) : (
        <ul aria-label="Scripts autorizados" className="grid gap-4">
          {items.map((item) => (
            <InventoryRow key={item.pixel_id} item={item} checksFiles={checks_files} />
          ))}
        </ul>
      )}
      <HeadersCard headers={headers} />
      <Card className="px-4 py-4 text-sm text-pretty text-text-2 sm:px-5">
        <p>
          {checks_files
            ? 'Uma vez por dia, o nosso servidor lê os arquivos das plataformas que as tags nomeiam, sem dados de ninguém, e anota se mudaram. O navegador de um visitante pode receber outro arquivo, e o que o código monta em cada visita não é lido. Plataformas mudam os seus arquivos com frequência: uma mudança não diz que algo está errado. Em Minha conta você escolhe se quer ser avisado.'
            : 'O servidor está configurado para não pedir os arquivos das plataformas (VENDOR_FILE_CHECKS).'}
        </p>
        <p className="mt-2">
          A forma é a dos requisitos 6.4.3 e 11.6.1 do PCI DSS, escritos para páginas de pagamento. Eles não
          obrigam esta página, que não recebe dados de cartão, e nada aqui afirma que são cumpridos.
        </p>
      </Card>
    </div>
  )
}

/** The headers with which the public page is served, and when they were others. */
function HeadersCard({ headers }: { headers: readonly HeaderChange[] }) {
  return (
    <Card role="region" aria-labelledby="headers-heading" className="px-4 py-4 sm:px-5">
      <h3 id="headers-heading" className="text-base tracking-tight">
        Cabeçalhos da página
      </h3>
      <p className="text-sm text-pretty text-text-2">
        A impressão digital dos cabeçalhos com que a página é servida, a política de segurança entre eles.
        Muda com as tags; quando muda sem elas, foi outra versão ou configuração do site.
      </p>
      {headers.length === 0 ? <p className="mt-3 text-[0.9375rem]">Nada foi anotado ainda.</p> : null}
      <ol className="mt-2">
        {headers.map(({ hash, since, unasked }) => (
          <li key={since + hash} className="border-t border-line py-2.5 text-[0.9375rem] first:border-t-0">
            {`Desde ${formatMinute(since)}`}
            {unasked ? <b className="font-semibold">, sem mudança de tag</b> : ''}
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

/** One script: who authorised it, why, whom it may talk to, and what its files are. */
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
          {`${kind}. ${TAG_CATEGORY_LABELS[item.category]}. ${placeOf(item)}`}
        </p>
        <dl className="mt-3 grid gap-x-5 gap-y-2.5 text-[0.9375rem] sm:grid-cols-[9rem_minmax(0,1fr)]">
          <Fact term="Autorizada por">
            {item.authorised === null
              ? 'Não se sabe: é de antes do que o histórico guarda.'
              : `${item.authorised.by}, em ${formatMinute(item.authorised.at)}`}
          </Fact>
          <Fact term="Por quê">
            <ReasonNote item={item} />
          </Fact>
          <Fact term="Endereços">{item.hosts.length === 0 ? 'Nenhum.' : item.hosts.join(', ')}</Fact>
          <Fact term="Integridade">
            {item.own_files.length + item.vendor_files.length === 0 ? 'Nenhum arquivo conhecido.' : null}
            <ul className="grid gap-2">
              {item.own_files.map(({ path: file, sha256 }) => (
                <li key={file}>
                  Nosso, servido por nós: <span className="font-mono text-sm">{file}</span>
                  <Hash value={sha256} />
                </li>
              ))}
              {item.vendor_files.map((file) => (
                <li key={file.url}>
                  Da plataforma: <span className="font-mono text-sm">{file.url}</span>
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
    return in_html ? 'No HTML da página inicial, para todos.' : 'Ligada, mas fora da página agora.'
  const since = `desde ${formatMinute(on_page_since)}`
  if (!told_by.includes('browser')) return `Só pelo nosso servidor, ${since}.`
  return runs_in === 'isolated'
    ? `Isolada, num quadro fechado, como está ${since}.`
    : `Na página como está ${since}.`
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text-2">{term}</dt>
      <dd className="min-w-0 wrap-anywhere max-sm:mb-1">{children}</dd>
    </>
  )
}

function Hash({ value }: { value: string }) {
  return <span className="block font-mono text-xs text-text-2">{`sha256 ${value}`}</span>
}

/** What our server knows of a vendor's file, in a sentence. */
function describeFile(file: VendorFile, checksFiles: boolean): string {
  const { outcome, reason, checked_at, changed_at, changes } = file
  if (!checksFiles && checked_at === null)
    return 'Não é conferido: o servidor está configurado para não pedir.'
  if (checked_at === null) return 'Ainda não foi conferido.'
  const when = formatMinute(checked_at)
  if (outcome === 'failed') return `Não deu para ler em ${when} (${explain(reason)}).`
  if (changed_at === null) return `Igual desde a primeira leitura. Conferido em ${when}.`
  const times = changes === 1 ? 'Mudou uma vez' : `Mudou ${changes} vezes`
  return `${times}, a última notada em ${formatMinute(changed_at)}. Conferido em ${when}.`
}

function explain(reason: string | null): string {
  const status = /^http_(\d{3})$/.exec(reason ?? '')?.[1]
  if (status?.startsWith('3')) return 'o endereço leva a outro'
  if (status !== undefined) return `a plataforma respondeu ${status}`
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN') return 'o endereço não foi encontrado'
  if (reason === 'ETIMEDOUT' || reason === 'UND_ERR_CONNECT_TIMEOUT') return 'sem resposta a tempo'
  if (reason === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'grande demais'
  if (reason === 'encoded') return 'veio compactado'
  return reason ?? 'sem resposta'
}

/** Why it is there, or the way to say so. */
export function ReasonNote({ item }: { item: InventoryItem }) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState(item.reason ?? '')
  const save = useSaveReason(item)
  if (!isOpen)
    return (
      <>
        {item.reason ?? <span className="text-text-2">Ninguém anotou.</span>}{' '}
        <QuietButton
          className="mx-0 inline-flex px-1"
          aria-label={`${item.reason === null ? 'Anotar o motivo' : 'Mudar o motivo'}: ${item.name}`}
          onClick={() => {
            setText(item.reason ?? '')
            setOpen(true)
          }}
        >
          {item.reason === null ? 'Anotar o motivo' : 'Mudar'}
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
            placeholder="Medir as campanhas do verão"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" pending={save.isPending} className="min-h-12">
        Guardar
      </Button>
      <Button look="outline" className="min-h-12" onClick={() => setOpen(false)}>
        Cancelar
      </Button>
    </form>
  )
}
