import { CHAPTERS, PICTURES } from 'virtual:guide'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Fragment, type MouseEvent, type ReactNode, useEffect } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { SearchInput } from '#admin/components/inputs.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading, usePageTitle } from '#admin/components/page-heading.tsx'
import { Link, navigate, paths, useSearchText } from '#admin/lib/router.tsx'
import { formatCount } from '#contract/format-count.ts'
import {
  type FoundSection,
  type GuideChapter,
  type GuideElement,
  type GuideNode,
  searchGuide,
  textOf,
} from './guide.ts'

/** The guide of `docs/guia/`: its list of chapters, or one of them. */
export function HelpScreen({ chapter: slug }: { chapter?: string }) {
  const [search, setSearch] = useSearchText('busca')
  const chapter = CHAPTERS.find((each) => each.slug === slug)
  const found = search.trim() === '' ? null : searchGuide(CHAPTERS, search.trim())
  const title = slug === undefined ? 'Ajuda' : (chapter?.title ?? 'Capítulo não encontrado')
  usePageTitle(title)
  useFragment(found === null)
  return (
    <>
      {slug === undefined ? null : (
        <Link
          href={paths.help()}
          className="-ml-1 mb-2 inline-flex min-h-11 items-center gap-1 text-[0.9375rem] text-text-2 hover:text-ink [&_svg]:size-5"
        >
          <ChevronLeft aria-hidden="true" />
          Ajuda
        </Link>
      )}
      <PageHeading
        title={title}
        {...(slug === undefined ? { subtitle: 'Como usar o painel, em capítulos curtos.' } : {})}
      />
      <div className="mb-4 sm:flex">
        <SearchInput label="Buscar na ajuda" value={search} onChange={setSearch} />
      </div>
      {/* Always present: a live region that appears together with its text is not announced. */}
      <p role="status" className={found?.length ? 'mb-3 text-[0.9375rem] text-text-2' : 'sr-only'}>
        {found === null ? '' : formatCount(found.length, 'resultado', 'resultados')}
      </p>
      {found !== null ? (
        <Results found={found} search={search.trim()} onClear={() => setSearch('')} />
      ) : chapter !== undefined ? (
        <Chapter chapter={chapter} />
      ) : slug === undefined ? (
        <Contents />
      ) : (
        <Card>
          <EmptyState
            title="Este capítulo não existe"
            text="O endereço pode estar incompleto ou ser de um capítulo que mudou de nome."
            action={
              <Button look="outline" onClick={() => navigate(paths.help())}>
                Ver todos os capítulos
              </Button>
            }
          />
        </Card>
      )}
    </>
  )
}

/** Scrolls to the heading in the address. The browser looks for it only once, before the chapter is drawn. */
function useFragment(isDrawn: boolean): void {
  useEffect(() => {
    if (!isDrawn || location.hash === '') return
    const heading = document.getElementById(decodeFragment(location.hash))
    heading?.scrollIntoView()
    heading?.focus({ preventScroll: true })
  }, [isDrawn])
}

function decodeFragment(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    // An unknown fragment.
    return ''
  }
}

const CARD_LINK =
  'flex h-full flex-col gap-1 px-5 py-4 hover:bg-[#fafaf6] focus-visible:rounded-2xl focus-visible:outline-offset-[-4px]'

function Contents() {
  return (
    <ol className="grid gap-4 sm:grid-cols-2">
      {CHAPTERS.map(({ slug, title, intro }) => (
        <li key={slug}>
          <Card className="h-full">
            <Link href={paths.help(slug)} className={CARD_LINK}>
              <h3 className="text-lg">{title}</h3>
              <p className="text-[0.9375rem] text-pretty text-text-2">{textOf(intro.slice(0, 1))}</p>
            </Link>
          </Card>
        </li>
      ))}
    </ol>
  )
}

interface ResultsProps {
  found: readonly FoundSection[]
  search: string
  onClear: () => void
}

function Results({ found, search, onClear }: ResultsProps) {
  if (found.length === 0)
    return (
      <Card>
        <EmptyState
          title={`Nenhum resultado para "${search}"`}
          text="Tente outra palavra, como token, bloqueador ou consentimento."
          action={
            <Button look="outline" onClick={onClear}>
              Limpar busca
            </Button>
          }
        />
      </Card>
    )
  // The chapter may already be open: then only the search is closed.
  const onOpen = ({ ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    if (!ctrlKey && !metaKey && !shiftKey) onClear()
  }
  return (
    <ul aria-label="Resultados" className="grid gap-3">
      {found.map(({ chapter, section, title, excerpt }) => (
        <li key={`${chapter.slug}#${section?.id}`}>
          <Card>
            <Link href={paths.help(chapter.slug, section?.id)} onClick={onOpen} className={CARD_LINK}>
              <h3 className="text-base tracking-tight">{title}</h3>
              {section === null ? null : <p className="text-sm text-text-2">{chapter.title}</p>}
              <p className="text-[0.9375rem] text-pretty wrap-anywhere">
                {excerpt.before}
                <mark className="bg-accent-3 text-inherit">{excerpt.match}</mark>
                {excerpt.after}
              </p>
            </Link>
          </Card>
        </li>
      ))}
    </ul>
  )
}

function Chapter({ chapter }: { chapter: GuideChapter }) {
  const at = CHAPTERS.indexOf(chapter)
  const [before, after] = [CHAPTERS[at - 1], CHAPTERS[at + 1]]
  return (
    <>
      <Card className="px-5 py-5 sm:px-8 sm:py-7">
        <article className="@container [&>p:first-child]:mt-0">
          {render(chapter.intro)}
          <nav aria-label="Neste capítulo" className="mt-4 border-y border-line">
            {/* On a phone the text comes first. */}
            <details open={matchMedia('(min-width: 35rem)').matches} className="group">
              <summary className="flex min-h-11 cursor-pointer list-none items-center gap-1.5 text-[0.9375rem] font-semibold">
                <ChevronRight
                  aria-hidden="true"
                  className="size-5 flex-none transition-transform group-open:rotate-90"
                />
                Neste capítulo
              </summary>
              <ul className="flex flex-wrap gap-x-5 pb-1.5">
                {chapter.sections.map(({ id, title }) => (
                  <li key={id}>
                    <a href={`#${id}`} className={`${TEXT_LINK} inline-flex min-h-11 items-center`}>
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          </nav>
          {chapter.sections.map(({ id, title, body }) => (
            <Fragment key={id}>
              <h3 id={id} tabIndex={-1} className="mt-10 text-xl focus:outline-0">
                {title}
              </h3>
              {render(body)}
            </Fragment>
          ))}
        </article>
      </Card>
      <nav aria-label="Outros capítulos" className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-2">
        {before === undefined ? null : (
          <Link href={paths.help(before.slug)} className={STEP_LINK}>
            <ChevronLeft aria-hidden="true" />
            <span>
              <span className="sr-only">Capítulo anterior: </span>
              {before.title}
            </span>
          </Link>
        )}
        {after === undefined ? null : (
          <Link href={paths.help(after.slug)} className={`${STEP_LINK} ml-auto`}>
            <span>
              <span className="sr-only">Próximo capítulo: </span>
              {after.title}
            </span>
            <ChevronRight aria-hidden="true" />
          </Link>
        )}
      </nav>
    </>
  )
}

const STEP_LINK =
  'inline-flex min-h-11 items-center gap-1 font-semibold underline-offset-4 hover:underline [&_svg]:size-5 [&_svg]:flex-none'

const TEXT_LINK = 'underline decoration-1 underline-offset-4 hover:decoration-2'

function render(nodes: readonly GuideNode[] = []): ReactNode {
  return nodes.map((node, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the text of a build never changes.
    typeof node === 'string' ? node : <GuidePart key={at} element={node} />,
  )
}

/** One element of the guide. `scripts/guide.ts` refuses unknown ones. */
function GuidePart({ element: { tag, children, href = '', src = '', alt = '' } }: { element: GuideElement }) {
  switch (tag) {
    case 'p':
      return <p className="mt-3 max-w-[42rem] text-pretty">{render(children)}</p>
    case 'ul':
      return <ul className="mt-3 grid max-w-[42rem] list-disc gap-1.5 pl-6">{render(children)}</ul>
    case 'ol':
      return <ol className="mt-3 grid max-w-[42rem] list-decimal gap-1.5 pl-6">{render(children)}</ol>
    case 'li':
      return <li className="pl-1 text-pretty">{render(children)}</li>
    case 'strong':
      return <b className="font-semibold">{render(children)}</b>
    case 'em':
      return <i>{render(children)}</i>
    case 'code':
      return (
        <code className="rounded-sm bg-paper px-1 py-0.5 font-mono text-[0.875em] wrap-anywhere">
          {render(children)}
        </code>
      )
    case 'a':
      return <GuideLink href={href}>{render(children)}</GuideLink>
    case 'img':
      return <Picture name={src} alt={alt} />
    case 'table':
      return <GuideTable rows={(children ?? []) as GuideElement[]} />
    default:
      return null
  }
}

function GuideLink({ href, children }: { href: string; children: ReactNode }) {
  // Within the chapter the browser itself scrolls.
  if (href.startsWith('#'))
    return (
      <a href={href} className={TEXT_LINK}>
        {children}
      </a>
    )
  return (
    <Link href={href} className={TEXT_LINK}>
      {children}
    </Link>
  )
}

/** Drawn at twice its size, for sharp text. */
const DENSITY = 2

function Picture({ name, alt }: { name: string; alt: string }) {
  const picture = PICTURES[name]
  if (picture === undefined) return null
  return (
    <img
      src={picture.src}
      alt={alt}
      width={picture.width / DENSITY}
      height={picture.height / DENSITY}
      loading="lazy"
      className="mt-5 mb-2 h-auto max-w-full rounded-1 shadow-[0_0_0_1px_var(--line)]"
    />
  )
}

/** The first row has the column names. On narrow screens each row is a card with these names. */
function GuideTable({ rows: [head, ...rows] }: { rows: readonly GuideElement[] }) {
  const names = (head?.children ?? []) as GuideElement[]
  return (
    <table className="mt-4 w-full border-separate border-spacing-0 text-[0.9375rem] card:block">
      <thead className="card:hidden">
        <tr>
          {names.map(({ children = [] }) => (
            <th
              key={textOf(children)}
              scope="col"
              className="border-b border-line py-2 pr-4 text-left text-[0.8125rem] font-medium text-text-2 last:pr-0"
            >
              {render(children)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="card:block">
        {rows.map((row) => (
          <tr key={textOf([row])} className="card:block card:border-t card:border-line card:py-3">
            {((row.children ?? []) as GuideElement[]).map(({ children }, at) => {
              const name = textOf(names[at]?.children ?? [])
              return (
                <td
                  key={name}
                  data-label={name}
                  className="labelled-cell text-pretty not-card:border-b not-card:border-line not-card:py-2.5 not-card:pr-4 not-card:align-top not-card:last:pr-0 card:block card:pt-1"
                >
                  {render(children)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
