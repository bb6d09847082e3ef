// The recipe as it was, and as it differs from the shipped one.
import { exported, ofRun, useGet } from '../api'
import { useSession } from '../page'
import { Copy, Scroll, Wait } from '../parts'
import { link } from '../route'
import { Short, visible } from '../text'
import type { RecipeView } from '../types'

export function RecipeTab({ id }: { id: string }) {
  const recipe = useGet<RecipeView>(ofRun(id, '/recipe'))
  const session = useSession()
  return (
    <Wait of={recipe}>
      {(data) => (
        <>
          {data.preset && (
            <section>
              <h2>Differences from {data.preset}</h2>
              {data.differences.length === 0 && <p class="dim">None.</p>}
              {data.differences.length > 0 && (
                <Scroll label="differences">
                  <table>
                    <thead><tr><th>key</th><th>{data.preset}</th><th>this run</th></tr></thead>
                    <tbody>{data.differences.map((d) => <tr key={d.key}><th scope="row" class="mono">{d.key}</th><td><del><Short text={d.preset} /></del></td><td><ins><Short text={d.run} /></ins></td></tr>)}</tbody>
                  </table>
                </Scroll>
              )}
            </section>
          )}
          <h2>The whole recipe <Copy text={data.yaml} /> {!exported && session.can_run && !session.read_only && <a href={link(['start'], { from: id })}>clone</a>}</h2>
          <div class="yaml mono" tabIndex={0} role="region" aria-label="recipe">{data.yaml.split('\n').map((line, i) => <div key={i}>{visible(line)}{' '}</div>)}</div>
        </>
      )}
    </Wait>
  )
}
