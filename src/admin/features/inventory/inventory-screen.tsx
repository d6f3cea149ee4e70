import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import type { Inventory } from '#contract/inventory.ts'
import { HeadersCard } from './headers-card.tsx'
import { InventoryRow } from './inventory-row.tsx'
import { useInventory } from './read-inventory.ts'

/** Which scripts are on the page, who answers for each, and whether their files are what they were. */
export function InventoryScreen() {
  const inventory = useInventory()
  return (
    <>
      <PageHeading
        title="Inventário"
        subtitle="Cada script da página: quem autorizou, por quê, com quem pode falar e se o arquivo mudou."
      />
      {inventory.data ? (
        <Loaded inventory={inventory.data} />
      ) : (
        <Card aria-busy={inventory.isPending}>
          {inventory.isError ? (
            <LoadFailure
              error={inventory.error}
              fallback="Não deu para carregar o inventário."
              onRetry={() => void inventory.refetch()}
            />
          ) : (
            <div className="grid gap-4 p-5">
              <p role="status" className="sr-only">
                Carregando o inventário
              </p>
              <Skeleton className="h-4 w-56 rounded-md" />
              <Skeleton className="h-24 w-full rounded-md" />
            </div>
          )}
        </Card>
      )}
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
