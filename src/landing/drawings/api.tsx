/** One request and its answer, as an integrator would see them. */
export function ApiDrawing() {
  return (
    <div className="code">
      <pre>
        <b>POST</b> <em>/v1/cobrancas</em>
        {'\n{\n  "meio": '}
        <em>"pix"</em>
        {',\n  "valor": '}
        <em>4990</em>
        {'\n}'}
      </pre>
      <pre>
        <b>201</b> <em>Criada</em>
        {'\n{\n  "id": '}
        <em>"cob_7f3a"</em>
        {',\n  "status": '}
        <em>"aprovada"</em>
        {'\n}'}
      </pre>
    </div>
  )
}
