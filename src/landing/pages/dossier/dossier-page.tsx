import { formatCount } from '#contract/format-count.ts'
import type { Dossier } from '#contract/inventory.ts'
import { VISIT_CODE_DAYS } from '#contract/visit-code.ts'
import { DossierCheckpoints, DossierNotices, DossierNumbers } from './dossier-figures.tsx'
import { formatDay, formatMoment, formatNumber } from './dossier-format.ts'
import { DossierTags } from './dossier-tags.tsx'

/** The dossier as one self-contained document. */
export function DossierPage({ dossier }: { dossier: Dossier }) {
  const { controller, from, to } = dossier
  return (
    <html lang="pt-BR">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`Dossiê de consentimento para auditoria, ${formatDay(from)} a ${formatDay(to)}`}</title>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own style sheet, which holds nothing of anybody's. */}
        <style dangerouslySetInnerHTML={{ __html: DOSSIER_STYLE }} />
      </head>
      <body>
        <main>
          <h1>Dossiê de consentimento para auditoria</h1>
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
            <dd>{`${formatDay(from)} a ${formatDay(to)} (inclusive)`}</dd>
            <dt>Gerado em</dt>
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

const CHECKPOINTS_ADDRESS = '/.well-known/portico-seals'

/** How it was made, how to check it, and what it does not show. */
function DossierMethod({ site, kept_days, seals }: Dossier) {
  return (
    <>
      <section>
        <h2>5. Como conferir por conta própria</h2>
        <ol>
          <li>
            {`Abra ${site}${CHECKPOINTS_ADDRESS}. Os selos são públicos. Compare a raiz e a impressão digital do selo ${seals.last === null ? 'mais recente' : formatNumber(seals.last.sequence)} com as deste dossiê.`}
          </li>
          <li>
            {`Se você anotou selos em datas diferentes, compare: ${site}${CHECKPOINTS_ADDRESS}/consistency?first=N&second=M mostra a prova de que um continua o outro. Qualquer programa compatível com a RFC 6962 verifica.`}
          </li>
          <li>
            Peça o arquivo de registros do período e rode <code>npm run evidence -- verify ARQUIVO</code> (não
            precisa de internet). Se um byte mudou ou um registro foi removido, incluído ou trocado de lugar,
            a verificação falha e mostra a linha. O formato é JSON-LD com os termos do W3C DPV. As impressões
            digitais são SHA-256 de JSON canônico (RFC 8785), e qualquer ferramenta pode refazer a conta.
          </li>
          <li>
            Some os registros do arquivo por dia e por versão do aviso. O resultado tem que ser igual ao da
            seção 1, menos os registros já apagados pelo prazo de guarda.
          </li>
          <li>
            Cada visitante vê o código da própria resposta nas preferências de cookies e pode baixar o
            comprovante, com a prova de que ela está coberta por um selo.
          </li>
        </ol>
      </section>
      <section>
        <h2>6. Método e limites deste dossiê</h2>
        <ul>
          <li>
            Registramos uma resposta quando o visitante clica em um botão do aviso ou das preferências: botão,
            categorias, versão do aviso, conjunto de tags e horário do servidor. Não guardamos nome, endereço
            IP nem navegador: o registro mostra que a resposta foi dada, não por quem.
          </li>
          <li>
            {`Quem aceitou desempenho ou marketing e usou um link para o aplicativo ou para o WhatsApp tem um código de visita, guardado por ${formatCount(VISIT_CODE_DAYS, 'dia', 'dias')} com canal, campanha e identificadores de clique criptografados. Ele é apagado quando o consentimento é retirado e não faz parte deste dossiê.`}
          </li>
          <li>
            {`Os registros são guardados por ${formatCount(kept_days, 'dia', 'dias')} e depois apagados. A impressão digital de cada um continua, para que a prova dos outros siga válida.`}
          </li>
          <li>
            O horário é o do nosso servidor. Um selo prova a ordem e que nada mudou desde que alguém de fora o
            anotou. Se ninguém anotou, o horário do selo vale só como nossa declaração.
          </li>
          <li>
            Tags e domínios vêm do que o servidor registrou ao entregar a página. O que um contêiner do Google
            Tag Manager carrega por conta própria não aparece. Empresas e finalidades são as do catálogo do
            produto.
          </li>
          <li>
            O inventário de scripts do painel (quem ativou cada um, por quê e se o arquivo mudou) segue o
            modelo dos requisitos 6.4.3 e 11.6.1 do PCI DSS. Eles valem para páginas de pagamento e não se
            aplicam a esta página, que não recebe dados de cartão. Este dossiê não declara conformidade com
            eles.
          </li>
          <li>
            Este dossiê relata o que foi registrado. Não é um parecer jurídico e não passou por auditoria
            externa.
          </li>
        </ul>
      </section>
    </>
  )
}

/** The file stands alone: no typeface, image or script is loaded. */
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
