import type { ActiveToolList } from '#contract/inventory.ts'
import type { SiteInfo } from '#contract/site.ts'
import { groupTools, type PolicyTool, TOOLS_TITLE, toolsDateLine } from '../legal/active-tools.ts'

interface ActiveToolsProps {
  list: ActiveToolList
  site: SiteInfo
  /** Of its heading, after the sections of the text. */
  number: number
}

/** The tools that are on the site now, with a date of their own. */
export function ActiveTools({ list, site, number }: ActiveToolsProps) {
  return (
    <section className="tools">
      <h2 id="agora">{`${number}. ${TOOLS_TITLE}`}</h2>
      <p>{toolsDateLine(list)}</p>
      {groupTools(list, site).map(({ title, when, tools }) => (
        <section key={title}>
          <h3>{title}</h3>
          <p>{tools.length === 0 ? 'Nenhuma ferramenta em uso agora.' : when}</p>
          {tools.length === 0 ? null : <ToolTable title={title} tools={tools} />}
        </section>
      ))}
    </section>
  )
}

function ToolTable({ title, tools }: { title: string; tools: readonly PolicyTool[] }) {
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Quem</th>
          <th scope="col">Para quê</th>
          <th scope="col">Cookies e por quanto tempo</th>
        </tr>
      </thead>
      <tbody>
        {tools.map((tool) => (
          <tr key={tool.name + tool.purpose}>
            <th scope="row">
              {tool.name}
              <small>{tool.owner}</small>
            </th>
            <td>{tool.purpose}</td>
            <td>
              {tool.cookies.length === 0 ? tool.none : null}
              {tool.cookies.map(({ name, detail }) => (
                <div key={name + detail} className="left">
                  <code>{name}</code> <span>{detail}</span>
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
