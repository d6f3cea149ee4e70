import { formatCount } from '#contract/format-count.ts'
import type { Dossier } from '#contract/inventory.ts'
import { DossierCheckpoints, DossierNotices, DossierNumbers } from './dossier-figures.tsx'
import { formatDay, formatMoment, formatNumber } from './dossier-format.ts'
import { DossierTags } from './dossier-tags.tsx'

/** The dossier as one document that needs nothing beside it. */
export function DossierPage({ dossier }: { dossier: Dossier }) {
  const { controller, from, to } = dossier
  return (
    <html lang="pt-BR">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`Dossiê de consentimento, ${formatDay(from)} a ${formatDay(to)}`}</title>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own style sheet, which holds nothing of anybody's. */}
        <style dangerouslySetInnerHTML={{ __html: DOSSIER_STYLE }} />
      </head>
      <body>
        <main>
          <h1>Dossiê de consentimento</h1>
          <dl>
            <dt>Site</dt>
            <dd>{dossier.site}</dd>
            <dt>Controlador</dt>
            <dd>
              {[
                controller.name,
                controller.legal_name,
                controller.cnpj === null ? null : `CNPJ ${controller.cnpj}`,
              ]
                .filter((part) => part !== null)
                .join(', ')}
            </dd>
            <dt>Contato</dt>
            <dd>{controller.contact}</dd>
            <dt>Período</dt>
            <dd>{`${formatDay(from)} a ${formatDay(to)}, os dois dias incluídos`}</dd>
            <dt>Feito em</dt>
            <dd>{`${formatMoment(dossier.made_at)} (horário de Brasília), por ${dossier.made_by}`}</dd>
          </dl>
          <DossierNumbers figures={dossier.figures} />
          <DossierNotices notices={dossier.notices} />
          <DossierTags {...dossier} />
          <DossierCheckpoints seals={dossier.seals} />
          <DossierMethod {...dossier} />
        </main>
      </body>
    </html>
  )
}

const SEALS_ADDRESS = '/.well-known/portico-seals'

/** How it was made, how to check it, and what it does not show. */
function DossierMethod({ site, kept_days, seals }: Dossier) {
  return (
    <>
      <section>
        <h2>5. Como conferir sem confiar em nós</h2>
        <ol>
          <li>
            {`Abra ${site}${SEALS_ADDRESS}. Os selos são públicos. Compare a raiz e a impressão digital do selo ${seals.last === null ? 'mais novo' : formatNumber(seals.last.sequence)} com as deste dossiê.`}
          </li>
          <li>
            {`Com selos anotados em datas diferentes, peça a prova de consistência entre eles: ${site}${SEALS_ADDRESS}/consistency?first=N&second=M. Qualquer programa que siga a RFC 6962 a confere.`}
          </li>
          <li>
            Peça o arquivo de registros do período e rode <code>npm run evidence -- verify ARQUIVO</code>, sem
            rede. Um byte mudado, um registro tirado, acrescentado ou fora de ordem faz a conferência falhar e
            dizer onde. O formato é JSON-LD com os termos do W3C DPV; as impressões digitais são SHA-256 sobre
            JSON canônico (RFC 8785), e dá para refazê-las com qualquer ferramenta.
          </li>
          <li>
            Some os registros do arquivo por dia e por versão do aviso: os números têm de ser os da seção 1,
            salvo os registros já apagados pelo prazo de guarda.
          </li>
          <li>
            Um visitante tem o código da própria escolha nas preferências de cookies, e pode baixar o recibo,
            com a prova de que a escolha está sob um selo.
          </li>
        </ol>
      </section>
      <section>
        <h2>6. Método, e o que este dossiê não mostra</h2>
        <ul>
          <li>
            Uma escolha é registrada quando o visitante aperta um botão do aviso ou das preferências: botão,
            categorias, versão do aviso, conjunto de tags e hora do nosso servidor. Sem nome, endereço IP nem
            navegador: o registro diz que a escolha foi feita, não por quem.
          </li>
          <li>
            {`Registros ficam ${formatCount(kept_days, 'dia', 'dias')}. Depois são apagados, e a impressão digital de cada um fica, para que as provas dos outros continuem valendo.`}
          </li>
          <li>
            A hora é a do nosso servidor. Um selo prova a ordem e que nada mudou desde que alguém de fora o
            anotou; a hora de um selo que ninguém anotou é só a nossa palavra.
          </li>
          <li>
            Tags e endereços vêm do que o servidor anotou ao servir a página. O que um contêiner (Google Tag
            Manager) carrega por conta própria não está na lista. Empresas e finalidades são as do catálogo do
            produto.
          </li>
          <li>
            O inventário de scripts que o painel mantém (quem autorizou cada um, por quê, e se o arquivo
            mudou) segue a forma dos requisitos 6.4.3 e 11.6.1 do PCI DSS. Eles são escritos para páginas de
            pagamento e não obrigam esta página, que não recebe dados de cartão; nada aqui afirma que eles são
            cumpridos.
          </li>
          <li>
            Este dossiê é um relato do que foi anotado. Não é parecer jurídico, e ninguém de fora o avaliou.
          </li>
        </ul>
      </section>
    </>
  )
}

/** The file stands alone: no typeface, picture or script comes from anywhere. */
const DOSSIER_STYLE = `
@page { size: A4; margin: 18mm 16mm 20mm }
* { box-sizing: border-box; margin: 0; padding: 0 }
body { font: 15px/1.55 system-ui, "Segoe UI", Roboto, Arial, sans-serif; color: #0b201b; background: #fff; max-width: 62rem; margin: 0 auto; padding: 40px 24px 64px; overflow-wrap: break-word }
h1 { font-size: 30px; line-height: 1.15; letter-spacing: -.02em }
h2 { font-size: 20px; line-height: 1.25; margin: 40px 0 8px; padding-top: 12px; border-top: 2px solid #0b201b; break-after: avoid }
h3 { font-size: 15px; margin: 22px 0 4px; break-after: avoid }
p + p, ul, ol, table, dl, pre { margin-top: 10px }
p, li, dd { max-width: 48rem }
ul, ol { padding-left: 22px }
.quiet { color: #44534d }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px }
dt { color: #44534d }
table { width: 100%; border-collapse: collapse; font-size: 13px; line-height: 1.45 }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid #dddfd6 }
thead { display: table-header-group }
thead th { font-weight: 600; border-bottom-color: #0b201b }
tbody th { font-weight: 600 }
tr { break-inside: avoid }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tfoot { display: table-row-group }
tfoot th, tfoot td { border-top: 2px solid #0b201b; border-bottom: 0; font-weight: 600 }
small { display: block; font-size: 12px; font-weight: 400; color: #44534d }
code, .tags td:last-child { overflow-wrap: anywhere }
.tags { table-layout: fixed }
.tags th:nth-child(1) { width: 20% }
.tags th:nth-child(2) { width: 27% }
.tags th:nth-child(3) { width: 17% }
code { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }
pre { padding: 12px 14px; border: 1px solid #dddfd6; border-radius: 8px; white-space: pre-wrap; font: 12.5px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }
.sums { display: flex; flex-wrap: wrap; gap: 12px 40px; margin-top: 18px; list-style: none; padding: 0 }
.sums b { display: block; font-size: 26px; line-height: 1.2; font-variant-numeric: tabular-nums }
@media (max-width: 640px) {
  body { padding: 24px 16px 48px }
  table { display: block; overflow-x: auto }
  .tags { table-layout: auto }
}
@media print {
  table { display: table }
  .tags { table-layout: fixed }
  body { padding: 0; max-width: none; font-size: 10.5pt }
  h1 { font-size: 22pt } h2 { font-size: 14pt } h3 { font-size: 11pt }
  table { font-size: 8.5pt } small { font-size: 8pt } code { font-size: 7.5pt } pre { font-size: 8.5pt }
}
`
