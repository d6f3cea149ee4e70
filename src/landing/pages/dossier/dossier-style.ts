/** The file stands alone: no typeface, picture or script comes from anywhere. */
export const DOSSIER_STYLE = `
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
