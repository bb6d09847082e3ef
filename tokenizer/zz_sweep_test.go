package tokenizer
import ("testing";"os";"encoding/json";"unicode";"fmt";"golang.org/x/text/unicode/norm";"github.com/dlclark/regexp2/v2")
func TestZZSweep(t *testing.T){
 data,_:=os.ReadFile("/tmp/T/sweep.json")
 var raw map[string]json.RawMessage
 if err:=json.Unmarshal(data,&raw);err!=nil{t.Fatal(err)}
 f:=false; tr:=true
 ns:=map[string]normalizer{"nfc":unicodeForm{norm.NFC},"nfd":unicodeForm{norm.NFD},"nfkc":unicodeForm{norm.NFKC},"nfkd":unicodeForm{norm.NFKD},"lower":lowercase{},"strip_accents":stripAccents{},"nmt":nmt{},"strip":&strip{true,true},
 "bert":&bertNormalizer{CleanText:true,Chinese:true,StripAccents:&f},"bertacc":&bertNormalizer{StripAccents:&tr}}
 for k,n:=range ns{
  var m map[int]string; json.Unmarshal(raw[k],&m)
  bad:=0
  for c:=rune(0);c<0x110000;c++{ if c>=0xD800&&c<0xE000{continue}
   want,ok:=m[int(c)]; if !ok{want=string(c)}
   if got:=n.normalize(string(c));got!=want{ bad++; if bad<24{fmt.Printf("%s U+%04X %+q want %+q\n",k,c,got,want)}}
  }
  fmt.Println(k,"bad",bad)
 }
 var cl map[string][]int; json.Unmarshal(raw["classes"],&cl)
 ps:=map[string]func(rune)bool{"L":unicode.IsLetter,"N":unicode.IsNumber,"M":unicode.IsMark,"P":unicode.IsPunct,"S":unicode.IsSymbol,"s":unicode.IsSpace,"w":isWord,"d":unicode.IsDigit,"Lu":unicode.IsUpper,"Han":func(r rune)bool{return unicode.Is(unicode.Han,r)},
 "punct":isPunctuation,"bertpre":func(r rune)bool{return isPunctuation(r)||unicode.IsSpace(r)},"digits":unicode.IsNumber,"ws":unicode.IsSpace}
 for _,x:=range []string{"s","w","d"}{ re:=regexp2.MustCompile(`\`+x); ps["re2"+x]=func(r rune)bool{ok,_:=re.MatchString(string(r));return ok}; cl["re2"+x]=cl[x]}
 for k,is:=range ps{ set:=map[int]bool{}; for _,c:=range cl[k]{set[c]=true}
  bad:=0; var lo,hi rune=-1,-1
  flush:=func(){if lo>=0{fmt.Printf("  %s %04X-%04X we=%v\n",k,lo,hi,is(lo))};lo=-1}
  for c:=rune(0);c<0x110000;c++{ if c>=0xD800&&c<0xE000{continue}
   if is(c)!=set[int(c)]{bad++; if lo>=0&&hi==c-1{hi=c}else{flush();lo,hi=c,c}}}
  flush()
  fmt.Println(k,"bad",bad)}
}
