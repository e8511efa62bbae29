"""Cutting texts into phrases, grouping phrases into families, and the reversible glyph code."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.errors import Invalid
from foveal.model.glyph import Family, Phrase, Tape, TapeState
from foveal.rules.duplicates import interchangeable, translatable
from foveal.rules.text import COMMON, UNSPACED, language

# The first 3,000 characters of level 2 of GB 2312, in its order: every Chinese font has them, no normal form of
# Unicode changes them, and each takes three bytes in UTF-8. Stored glyphs depend on the order: never change it.
ALPHABET = (
    "亍丌兀丐廿卅丕亘丞鬲孬噩丨禺丿匕乇夭爻卮氐囟胤馗毓睾鼗丶亟鼐乜乩亓芈孛啬嘏仄厍厝厣厥厮靥赝匚叵匦匮匾赜卦卣刂刈刎刭刳刿剀剌剞剡剜蒯剽劂劁劐劓冂罔亻仃仉仂仨仡仫仞伛仳伢佤仵伥伧伉伫佞佧攸佚佝佟佗伲伽佶佴"
    "侑侉侃侏佾佻侪佼侬侔俦俨俪俅俚俣俜俑俟俸倩偌俳倬倏倮倭俾倜倌倥倨偾偃偕偈偎偬偻傥傧傩傺僖儆僭僬僦僮儇儋仝氽佘佥俎龠汆籴兮巽黉馘冁夔勹匍訇匐凫夙兕亠兖亳衮袤亵脔裒禀嬴蠃羸冫冱冽冼凇冖冢冥讠讦讧讪讴讵讷诂"
    "诃诋诏诎诒诓诔诖诘诙诜诟诠诤诨诩诮诰诳诶诹诼诿谀谂谄谇谌谏谑谒谔谕谖谙谛谘谝谟谠谡谥谧谪谫谮谯谲谳谵谶卩卺阝阢阡阱阪阽阼陂陉陔陟陧陬陲陴隈隍隗隰邗邛邝邙邬邡邴邳邶邺邸邰郏郅邾郐郄郇郓郦郢郜郗郛郫郯郾鄄"
    "鄢鄞鄣鄱鄯鄹酃酆刍奂劢劬劭劾哿勐勖勰叟燮矍廴凵凼鬯厶弁畚巯坌垩垡塾墼壅壑圩圬圪圳圹圮圯坜圻坂坩垅坫垆坼坻坨坭坶坳垭垤垌垲埏垧垴垓垠埕埘埚埙埒垸埴埯埸埤埝堋堍埽埭堀堞堙塄堠塥塬墁墉墚墀馨鼙懿艹艽艿芏芊芨"
    "芄芎芑芗芙芫芸芾芰苈苊苣芘芷芮苋苌苁芩芴芡芪芟苄苎芤苡茉苷苤茏茇苜苴苒苘茌苻苓茑茚茆茔茕苠苕茜荑荛荜茈莒茼茴茱莛荞茯荏荇荃荟荀茗荠茭茺茳荦荥荨茛荩荬荪荭荮莰荸莳莴莠莪莓莜莅荼莶莩荽莸荻莘莞莨莺莼菁萁菥"
    "菘堇萘萋菝菽菖萜萸萑萆菔菟萏萃菸菹菪菅菀萦菰菡葜葑葚葙葳蒇蒈葺蒉葸萼葆葩葶蒌蒎萱葭蓁蓍蓐蓦蒽蓓蓊蒿蒺蓠蒡蒹蒴蒗蓥蓣蔌甍蔸蓰蔹蔟蔺蕖蔻蓿蓼蕙蕈蕨蕤蕞蕺瞢蕃蕲蕻薤薨薇薏蕹薮薜薅薹薷薰藓藁藜藿蘧蘅蘩蘖蘼廾弈"
    "夼奁耷奕奚奘匏尢尥尬尴扌扪抟抻拊拚拗拮挢拶挹捋捃掭揶捱捺掎掴捭掬掊捩掮掼揲揸揠揿揄揞揎摒揆掾摅摁搋搛搠搌搦搡摞撄摭撖摺撷撸撙撺擀擐擗擤擢攉攥攮弋忒甙弑卟叱叽叩叨叻吒吖吆呋呒呓呔呖呃吡呗呙吣吲咂咔呷呱呤"
    "咚咛咄呶呦咝哐咭哂咴哒咧咦哓哔呲咣哕咻咿哌哙哚哜咩咪咤哝哏哞唛哧唠哽唔哳唢唣唏唑唧唪啧喏喵啉啭啁啕唿啐唼唷啖啵啶啷唳唰啜喋嗒喃喱喹喈喁喟啾嗖喑啻嗟喽喾喔喙嗪嗷嗉嘟嗑嗫嗬嗔嗦嗝嗄嗯嗥嗲嗳嗌嗍嗨嗵嗤辔嘞嘈"
    "嘌嘁嘤嘣嗾嘀嘧嘭噘嘹噗嘬噍噢噙噜噌噔嚆噤噱噫噻噼嚅嚓嚯囔囗囝囡囵囫囹囿圄圊圉圜帏帙帔帑帱帻帼帷幄幔幛幞幡岌屺岍岐岖岈岘岙岑岚岜岵岢岽岬岫岱岣峁岷峄峒峤峋峥崂崃崧崦崮崤崞崆崛嵘崾崴崽嵬嵛嵯嵝嵫嵋嵊嵩嵴嶂"
    "嶙嶝豳嶷巅彳彷徂徇徉後徕徙徜徨徭徵徼衢彡犭犰犴犷犸狃狁狎狍狒狨狯狩狲狴狷猁狳猃狺狻猗猓猡猊猞猝猕猢猹猥猬猸猱獐獍獗獠獬獯獾舛夥飧夤夂饣饧饨饩饪饫饬饴饷饽馀馄馇馊馍馐馑馓馔馕庀庑庋庖庥庠庹庵庾庳赓廒廑廛"
    "廨廪膺忄忉忖忏怃忮怄忡忤忾怅怆忪忭忸怙怵怦怛怏怍怩怫怊怿怡恸恹恻恺恂恪恽悖悚悭悝悃悒悌悛惬悻悱惝惘惆惚悴愠愦愕愣惴愀愎愫慊慵憬憔憧憷懔懵忝隳闩闫闱闳闵闶闼闾阃阄阆阈阊阋阌阍阏阒阕阖阗阙阚丬爿戕氵汔汜汊"
    "沣沅沐沔沌汨汩汴汶沆沩泐泔沭泷泸泱泗沲泠泖泺泫泮沱泓泯泾洹洧洌浃浈洇洄洙洎洫浍洮洵洚浏浒浔洳涑浯涞涠浞涓涔浜浠浼浣渚淇淅淞渎涿淠渑淦淝淙渖涫渌涮渫湮湎湫溲湟溆湓湔渲渥湄滟溱溘滠漭滢溥溧溽溻溷滗溴滏溏滂"
    "溟潢潆潇漤漕滹漯漶潋潴漪漉漩澉澍澌潸潲潼潺濑濉澧澹澶濂濡濮濞濠濯瀚瀣瀛瀹瀵灏灞宀宄宕宓宥宸甯骞搴寤寮褰寰蹇謇辶迓迕迥迮迤迩迦迳迨逅逄逋逦逑逍逖逡逵逶逭逯遄遑遒遐遨遘遢遛暹遴遽邂邈邃邋彐彗彖彘尻咫屐屙孱"
    "屣屦羼弪弩弭艴弼鬻屮妁妃妍妩妪妣妗姊妫妞妤姒妲妯姗妾娅娆姝娈姣姘姹娌娉娲娴娑娣娓婀婧婊婕娼婢婵胬媪媛婷婺媾嫫媲嫒嫔媸嫠嫣嫱嫖嫦嫘嫜嬉嬗嬖嬲嬷孀尕尜孚孥孳孑孓孢驵驷驸驺驿驽骀骁骅骈骊骐骒骓骖骘骛骜骝骟骠"
    "骢骣骥骧纟纡纣纥纨纩纭纰纾绀绁绂绉绋绌绐绔绗绛绠绡绨绫绮绯绱绲缍绶绺绻绾缁缂缃缇缈缋缌缏缑缒缗缙缜缛缟缡缢缣缤缥缦缧缪缫缬缭缯缰缱缲缳缵幺畿巛甾邕玎玑玮玢玟珏珂珑玷玳珀珉珈珥珙顼琊珩珧珞玺珲琏琪瑛琦琥"
    "琨琰琮琬琛琚瑁瑜瑗瑕瑙瑷瑭瑾璜璎璀璁璇璋璞璨璩璐璧瓒璺韪韫韬杌杓杞杈杩枥枇杪杳枘枧杵枨枞枭枋杷杼柰栉柘栊柩枰栌柙枵柚枳柝栀柃枸柢栎柁柽栲栳桠桡桎桢桄桤梃栝桕桦桁桧桀栾桊桉栩梵梏桴桷梓桫棂楮棼椟椠棹椤棰"
    "椋椁楗棣椐楱椹楠楂楝榄楫榀榘楸椴槌榇榈槎榉楦楣楹榛榧榻榫榭槔榱槁槊槟榕槠榍槿樯槭樗樘橥槲橄樾檠橐橛樵檎橹樽樨橘橼檑檐檩檗檫猷獒殁殂殇殄殒殓殍殚殛殡殪轫轭轱轲轳轵轶轸轷轹轺轼轾辁辂辄辇辋辍辎辏辘辚軎戋戗"
    "戛戟戢戡戥戤戬臧瓯瓴瓿甏甑甓攴旮旯旰昊昙杲昃昕昀炅曷昝昴昱昶昵耆晟晔晁晏晖晡晗晷暄暌暧暝暾曛曜曦曩贲贳贶贻贽赀赅赆赈赉赇赍赕赙觇觊觋觌觎觏觐觑牮犟牝牦牯牾牿犄犋犍犏犒挈挲掰搿擘耄毪毳毽毵毹氅氇氆氍氕氘"
    "氙氚氡氩氤氪氲攵敕敫牍牒牖爰虢刖肟肜肓肼朊肽肱肫肭肴肷胧胨胩胪胛胂胄胙胍胗朐胝胫胱胴胭脍脎胲胼朕脒豚脶脞脬脘脲腈腌腓腴腙腚腱腠腩腼腽腭腧塍媵膈膂膑滕膣膪臌朦臊膻臁膦欤欷欹歃歆歙飑飒飓飕飙飚殳彀毂觳斐齑"
    "斓於旆旄旃旌旎旒旖炀炜炖炝炻烀炷炫炱烨烊焐焓焖焯焱煳煜煨煅煲煊煸煺熘熳熵熨熠燠燔燧燹爝爨灬焘煦熹戾戽扃扈扉礻祀祆祉祛祜祓祚祢祗祠祯祧祺禅禊禚禧禳忑忐怼恝恚恧恁恙恣悫愆愍慝憩憝懋懑戆肀聿沓泶淼矶矸砀砉砗"
    "砘砑斫砭砜砝砹砺砻砟砼砥砬砣砩硎硭硖硗砦硐硇硌硪碛碓碚碇碜碡碣碲碹碥磔磙磉磬磲礅磴礓礤礞礴龛黹黻黼盱眄眍盹眇眈眚眢眙眭眦眵眸睐睑睇睃睚睨睢睥睿瞍睽瞀瞌瞑瞟瞠瞰瞵瞽町畀畎畋畈畛畲畹疃罘罡罟詈罨罴罱罹羁罾"
    "盍盥蠲钅钆钇钋钊钌钍钏钐钔钗钕钚钛钜钣钤钫钪钭钬钯钰钲钴钶钷钸钹钺钼钽钿铄铈铉铊铋铌铍铎铐铑铒铕铖铗铙铘铛铞铟铠铢铤铥铧铨铪铩铫铮铯铳铴铵铷铹铼铽铿锃锂锆锇锉锊锍锎锏锒锓锔锕锖锘锛锝锞锟锢锪锫锩锬锱锲"
    "锴锶锷锸锼锾锿镂锵镄镅镆镉镌镎镏镒镓镔镖镗镘镙镛镞镟镝镡镢镤镥镦镧镨镩镪镫镬镯镱镲镳锺矧矬雉秕秭秣秫稆嵇稃稂稞稔稹稷穑黏馥穰皈皎皓皙皤瓞瓠甬鸠鸢鸨鸩鸪鸫鸬鸲鸱鸶鸸鸷鸹鸺鸾鹁鹂鹄鹆鹇鹈鹉鹋鹌鹎鹑鹕鹗鹚鹛"
    "鹜鹞鹣鹦鹧鹨鹩鹪鹫鹬鹱鹭鹳疒疔疖疠疝疬疣疳疴疸痄疱疰痃痂痖痍痣痨痦痤痫痧瘃痱痼痿瘐瘀瘅瘌瘗瘊瘥瘘瘕瘙瘛瘼瘢瘠癀瘭瘰瘿瘵癃瘾瘳癍癞癔癜癖癫癯翊竦穸穹窀窆窈窕窦窠窬窨窭窳衤衩衲衽衿袂袢裆袷袼裉裢裎裣裥裱褚"
    "裼裨裾裰褡褙褓褛褊褴褫褶襁襦襻疋胥皲皴矜耒耔耖耜耠耢耥耦耧耩耨耱耋耵聃聆聍聒聩聱覃顸颀颃颉颌颍颏颔颚颛颞颟颡颢颥颦虍虔虬虮虿虺虼虻蚨蚍蚋蚬蚝蚧蚣蚪蚓蚩蚶蛄蚵蛎蚰蚺蚱蚯蛉蛏蚴蛩蛱蛲蛭蛳蛐蜓蛞蛴蛟蛘蛑蜃蜇"
    "蛸蜈蜊蜍蜉蜣蜻蜞蜥蜮蜚蜾蝈蜴蜱蜩蜷蜿螂蜢蝽蝾蝻蝠蝰蝌蝮螋蝓蝣蝼蝤蝙蝥螓螯螨蟒蟆螈螅螭螗螃螫蟥螬螵螳蟋蟓螽蟑蟀蟊蟛蟪蟠蟮蠖蠓蟾蠊蠛蠡蠹蠼缶罂罄罅舐竺竽笈笃笄笕笊笫笏筇笸笪笙笮笱笠笥笤笳笾笞筘筚筅筵筌筝筠"
    "筮筻筢筲筱箐箦箧箸箬箝箨箅箪箜箢箫箴篑篁篌篝篚篥篦篪簌篾篼簏簖簋簟簪簦簸籁籀臾舁舂舄臬衄舡舢舣舭舯舨舫舸舻舳舴舾艄艉艋艏艚艟艨衾袅袈裘裟襞羝羟羧羯羰羲籼敉粑粝粜粞粢粲粼粽糁糇糌糍糈糅糗糨艮暨羿翎翕翥翡"
    "翦翩翮翳糸絷綦綮繇纛麸麴赳趄趔趑趱赧赭豇豉酊酐酎酏酤酢酡酰酩酯酽酾酲酴酹醌醅醐醍醑醢醣醪醭醮醯醵醴醺豕鹾趸跫踅蹙蹩趵趿趼趺跄跖跗跚跞跎跏跛跆跬跷跸跣跹跻跤踉跽踔踝踟踬踮踣踯踺蹀踹踵踽踱蹉蹁蹂蹑蹒蹊蹰蹶"
    "蹼蹯蹴躅躏躔躐躜躞豸貂貊貅貘貔斛觖觞觚觜觥觫觯訾謦靓雩雳雯霆霁霈霏霎霪霭霰霾龀龃龅龆龇龈龉龊龌黾鼋鼍隹隼隽雎雒瞿雠銎銮鋈錾鍪鏊鎏鐾鑫鱿鲂鲅鲆鲇鲈稣鲋鲎鲐鲑鲒鲔鲕鲚鲛鲞鲟鲠鲡鲢鲣鲥鲦鲧鲨鲩鲫鲭鲮鲰鲱鲲鲳"
    "鲴鲵鲶鲷鲺鲻鲼鲽鳄鳅鳆鳇鳊鳋鳌鳍鳎鳏鳐鳓鳔鳕鳗鳘鳙鳜鳝鳟鳢靼鞅鞑鞒鞔鞯鞫鞣鞲鞴骱骰骷鹘骶骺骼髁髀髅髂髋髌髑魅魃魇魉魈魍魑飨餍餮饕饔髟髡髦髯髫髻髭髹鬈鬏鬓鬟鬣麽麾縻麂麇麈麋麒鏖麝麟黛黜黝黠黟黢黩黧黥黪黯"
)


# Vectors are rounded to integers at this length. Every dot product then stays below 2**24, where single precision
# is exact: the order of summing, the number of threads and the processor cannot change which centre is nearest.
LENGTH = 4000

NEIGHBOURHOOD = 10
# With more phrases than this, the first centres of neighbourhoods are found on a sample.
SAMPLE = 100_000
# The least cosine of two phrases of one family, in one language and in two. `bench.pairs` measures what it does.
LIKE, LIKE_ACROSS = 0.85, 0.93
# No two phrases are as alike as this.
NEVER = 2.0
# A neighbourhood whose average cosine to its centre is below this is too loose and is split further.
LOOSE = 0.7

_FLAT = 256
_ROUNDS, _LAST_ROUNDS = 6, 1
_ROOM = 1 << 24
# For a sampled set: the share of progress for the first centres and for joining them, and how many join at once.
_FINDING, _JOINING, _BIT = 0.3, 0.5, 50_000

Whole = NDArray[np.int16]
Places = NDArray[np.int64]
Progress = Callable[[float], None]


def rounded(vectors: NDArray[np.float32]) -> Whole:
    """Unit vectors as integers.

    >>> rounded(np.array([[0.6, 0.8]], np.float32)).tolist()
    [[2400, 3200]]
    """
    return np.rint(vectors * np.float32(LENGTH)).astype(np.int16)


def directed(points: Whole) -> NDArray[np.float32]:
    """Integers from `rounded` as unit vectors again.

    >>> directed(np.array([2400, 3200], np.int16)).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    return points.astype(np.float32) / np.float32(LENGTH)


def middle(points: Whole) -> Whole:
    """The common direction of points, as a point.

    >>> middle(np.array([[4000, 0], [0, 4000]], np.int16)).tolist()
    [2828, 2828]
    """
    return _pointed(points.astype(np.int64).sum(axis=0, keepdims=True))[0]


def nearest(points: Whole, centres: Whole) -> tuple[Places, NDArray[np.float32]]:
    """For each point the index of its nearest centre, and their cosine; the first among equals.

    >>> places, likeness = nearest(np.array([[4000, 0], [0, 4000]], np.int16), np.array([[0, 4000]], np.int16))
    >>> places.tolist(), likeness.tolist()
    ([0, 0], [0.0, 1.0])
    """
    places = np.zeros(len(points), np.int64)
    likeness = np.zeros(len(points), np.float32)
    wide = np.ascontiguousarray(centres.T.astype(np.float32))
    block = max(1, _ROOM // max(1, len(centres)))
    for start in range(0, len(points), block):
        dots = points[start : start + block].astype(np.float32) @ wide
        best = dots.argmax(axis=1)
        places[start : start + block] = best
        likeness[start : start + block] = dots[np.arange(len(best)), best]
    return places, np.clip(likeness / np.float32(LENGTH * LENGTH), -1, 1).astype(np.float32)


def nearby(points: Whole, centres: Whole, count: int) -> NDArray[np.int64]:
    """For each point the indexes of its nearest centres, in no particular order.

    >>> nearby(np.array([[4000, 0]], np.int16), np.array([[0, 4000], [4000, 0]], np.int16), 1).tolist()
    [[1]]
    """
    few = min(count, len(centres))
    if not few:
        return np.empty((len(points), 0), np.int64)
    dots = points.astype(np.float32) @ centres.T.astype(np.float32)
    return np.argpartition(-dots, few - 1, axis=1)[:, :few]


def gathered(
    points: Whole, progress: Progress | None = None, *, sample: int = SAMPLE
) -> tuple[Whole, Places, NDArray[np.float32]]:
    """Neighbourhoods of about ten points: their centres, and for each point its centre, by index, and their cosine.

    With more than `sample` points, the first centres come from a sample; every point joins the nearest, and
    neighbourhoods that are then too large are split again. So the time grows with the points, not with points times
    neighbourhoods.

    >>> middles, owners, likeness = gathered(np.array([[4000, 0]] * 12, np.int16))
    >>> middles.tolist(), set(owners.tolist()), float(likeness.min())
    ([[4000, 0]], {0}, 1.0)
    """
    report: Progress = progress or (lambda _share: None)
    count = max(1, min(len(points), sample) // NEIGHBOURHOOD)
    if len(points) <= sample:
        centres = centred(points, count, report)
        return centres, *nearest(points, centres)
    centres = centred(points, count, lambda share: report(_FINDING * share), sample=sample)
    owners, likeness = _joined(points, centres, lambda share: report(_FINDING + _JOINING * share))
    chance = np.random.default_rng(20260106)
    order = np.argsort(owners, kind="stable")
    held, starts = np.unique(owners[order], return_index=True)
    middles: list[Whole] = []
    known = 0
    for place, members in zip(held.tolist(), np.split(order, starts[1:]), strict=True):
        own = points[members]
        parts = centres[place][None]
        if len(own) >= 2 * NEIGHBOURHOOD:
            parts = _settled(own, _seeds(own, len(own) // NEIGHBOURHOOD, chance), _ROUNDS)
            owners[members], likeness[members] = nearest(own, parts)
        else:
            owners[members] = 0
        owners[members] += known
        middles.append(parts)
        known += len(parts)
    report(1.0)
    return np.concatenate(middles), owners, likeness


def _joined(points: Whole, centres: Whole, report: Progress) -> tuple[Places, NDArray[np.float32]]:
    """`nearest` in batches, reporting progress after each."""
    batches: list[tuple[Places, NDArray[np.float32]]] = []
    for start in range(0, len(points), _BIT):
        batches.append(nearest(points[start : start + _BIT], centres))
        report(min(1.0, (start + _BIT) / len(points)))
    return np.concatenate([places for places, _ in batches]), np.concatenate([cosines for _, cosines in batches])


def centred(points: Whole, count: int, progress: Progress | None = None, *, sample: int = SAMPLE) -> Whole:
    """The centres of about `count` neighbourhoods; `progress` receives the share that is done.

    Large sets are split twice, coarsely and then finely inside each part, and all points are compared with all
    centres only in the last rounds: this finds equally tight neighbourhoods in a fraction of the time.

    >>> corner = [[4000, 0]] * 3 + [[0, 4000]] * 3
    >>> sorted(centred(np.array(corner, np.int16), 2).tolist())
    [[0, 4000], [4000, 0]]
    """
    report: Progress = progress or (lambda _share: None)
    if not len(points):
        return points
    chance = np.random.default_rng(20260105)
    if len(points) > sample:
        points = points[np.sort(chance.permutation(len(points))[:sample])]
    count = min(count, len(points))
    if count <= _FLAT:
        return _tightened(points, _settled(points, _seeds(points, count, chance), 2 * _ROUNDS), chance)
    coarse = _settled(points, _seeds(points, math.isqrt(count), chance), _ROUNDS)
    owners, _ = nearest(points, coarse)
    fine: list[Whole] = []
    for part in range(len(coarse)):
        own = points[owners == part]
        if len(own):
            fine.append(_settled(own, _seeds(own, max(1, round(count * len(own) / len(points))), chance), _ROUNDS))
        report(0.5 * (part + 1) / len(coarse))
    centres = _tightened(points, np.concatenate(fine), chance)
    for done in range(_LAST_ROUNDS):
        centres = _settled(points, centres, 1)
        report(0.5 + 0.5 * (done + 1) / _LAST_ROUNDS)
    return centres


def _seeds(points: Whole, count: int, chance: np.random.Generator) -> Whole:
    return points[np.sort(chance.permutation(len(points))[:count])]


def _settled(points: Whole, centres: Whole, rounds: int) -> Whole:
    """Centres after some rounds of moving each to the mean of its nearest points; empty ones are dropped."""
    before: Places | None = None
    for _ in range(rounds):
        owners, _ = nearest(points, centres)
        if before is not None and np.array_equal(owners, before):
            break
        order = np.argsort(owners, kind="stable")
        starts = np.flatnonzero(np.diff(owners[order], prepend=-1))
        sums = np.add.reduceat(points[order].astype(np.int32), starts, axis=0)
        centres = _pointed(sums.astype(np.int64))
        # The owners, renumbered by the centres that remain.
        before = np.searchsorted(owners[order][starts], owners)
    return centres


def _tightened(points: Whole, centres: Whole, chance: np.random.Generator) -> Whole:
    """The centres, with those of loose neighbourhoods replaced by several of their own."""
    owners, likeness = nearest(points, centres)
    order = np.argsort(owners, kind="stable")
    held, starts = np.unique(owners[order], return_index=True)
    groups = np.split(order, starts[1:])
    loose = [bool(likeness[members].mean() < LOOSE) for members in groups]
    waiting = [members for members, apart in zip(groups, loose, strict=True) if apart]
    settled = [centres[place][None] for place, apart in zip(held.tolist(), loose, strict=True) if not apart]
    while waiting:
        members = waiting.pop()
        own = points[members]
        parts = _settled(own, _seeds(own, 2 + len(own) // NEIGHBOURHOOD, chance), _ROUNDS)
        places, near = nearest(own, parts)
        for place in range(len(parts)):
            subset = members[places == place]
            if len(parts) > 1 and len(subset) > 1 and near[places == place].mean() < LOOSE:
                waiting.append(subset)
            elif len(subset):
                settled.append(parts[place][None])
    return np.concatenate(settled)


def _pointed(sums: NDArray[np.int64]) -> Whole:
    wide = sums.astype(np.float64)
    lengths = np.sqrt(np.square(wide).sum(axis=1, keepdims=True))
    return np.rint(wide * LENGTH / np.maximum(lengths, 1)).astype(np.int16)


def least_likeness(one: str, other: str) -> float:
    """The least cosine at which two phrases are of one family; above 1 if their words keep them apart.

    A word cannot be compared with its translation. Of phrases in two languages only numbers and negations must
    agree, and the encoder must be surer.

    >>> least_likeness("I work from home on Fridays", "On Fridays I work from home")
    0.85
    >>> least_likeness("I am allergic to walnuts", "I am allergic to shellfish")
    2.0
    >>> least_likeness("I am allergic to nuts", "Ich bin gegen Nüsse allergisch")
    0.93
    """
    if interchangeable(one, other):
        return LIKE
    return LIKE_ACROSS if translatable(one, other) else NEVER


def close_pairs(points: Whole, owners: Places) -> Iterator[tuple[int, int, float]]:
    """The pairs of points of one neighbourhood that are alike enough to be compared by their words.

    >>> list(close_pairs(np.array([[4000, 0], [0, 4000], [4000, 0]], np.int16), np.array([0, 0, 0])))
    [(0, 2, 1.0)]
    """
    order = np.argsort(owners, kind="stable")
    _, starts = np.unique(owners[order], return_index=True)
    for members in np.split(order, starts[1:]):
        if len(members) < 2:
            continue
        own = points[members].astype(np.float32)
        cosines = own @ own.T / np.float32(LENGTH * LENGTH)
        for row, column in np.argwhere(np.triu(cosines >= LIKE, 1)).tolist():
            yield int(members[row]), int(members[column]), float(cosines[row, column])


def kindred(alike: Iterable[tuple[int, int]], uses: Sequence[int] | Places) -> list[list[int]]:
    """Groups in which everyone is alike, most used first; who is alike with nobody is in none.

    >>> kindred([(0, 1), (1, 2), (3, 4)], [1, 1, 5, 1, 1])
    [[2, 1], [3, 4]]
    """
    friends: dict[int, set[int]] = {}
    for one, other in alike:
        friends.setdefault(one, set()).add(other)
        friends.setdefault(other, set()).add(one)
    groups: list[list[int]] = []
    grouped: set[int] = set()
    rank = sorted(friends, key=lambda member: (-int(uses[member]), -len(friends[member]), member))
    place = {member: number for number, member in enumerate(rank)}
    for head in rank:
        if head in grouped:
            continue
        group = [head]
        for member in sorted(friends[head] - grouped, key=place.__getitem__):
            if all(member in friends[known] for known in group):
                group.append(member)
        if len(group) > 1:
            grouped.update(group)
            groups.append(group)
    return groups


# A memory of so many records has enough to learn families from, and one of more than so many is not learned from
# unasked, because that takes minutes.
ENOUGH, TOO_MANY = 100, 20_000
# A tape is built anew when at least this share of its phrases fits no family.
STRANGE = 0.5


# A build that has not ended after this time was interrupted.
ABANDONED = timedelta(minutes=10)


def is_tape_due(records: int, tape: Tape | None, now: datetime) -> bool:
    """Whether a memory is to get a tape, or a new one beside its last, without being asked.

    >>> from datetime import UTC
    >>> now = datetime(2026, 1, 5, tzinfo=UTC)
    >>> is_tape_due(99, None, now), is_tape_due(100, None, now), is_tape_due(30_000, None, now)
    (False, True, False)
    """
    if not ENOUGH <= records <= TOO_MANY:
        return False
    if tape is None:
        return True
    if tape.state is not TapeState.READY:
        return now - tape.created_at >= ABANDONED
    return tape.waiting >= STRANGE * tape.phrases > 0


def entropy(counts: list[int]) -> float:
    """How mixed a family is, in bits: 0 if all its phrases are in one language.

    >>> entropy([4]), entropy([2, 2])
    (0.0, 1.0)
    """
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count) + 0.0


LONGEST = 4
SIZE = len(ALPHABET)
# How many families can have a glyph: the number of words of one to four signs.
FAMILIES = sum(SIZE**length for length in range(1, LONGEST + 1))

_VALUES = {sign: value for value, sign in enumerate(ALPHABET, 1)}


def glyph(number: int) -> str:
    """The glyph of a family: unique, and shortest for the lowest numbers.

    It is the number in bijective base 3,000, least significant sign first: numbers below 3,000 have one sign, the
    next nine million two.

    >>> glyph(0), glyph(1), len(glyph(2999)), len(glyph(3000)), number(glyph(123_456_789))
    ('亍', '丌', 1, 2, 123456789)
    """
    if not 0 <= number < FAMILIES:
        raise Invalid(f"there is no glyph for family {number}")
    signs: list[str] = []
    left = number + 1
    while left:
        left, place = divmod(left - 1, SIZE)
        signs.append(ALPHABET[place])
    return "".join(signs)


def number(text: str) -> int:
    """The number of the family that a glyph stands for; `Invalid` for any other text.

    >>> number("亍丌")
    6000
    """
    if not 1 <= len(text) <= LONGEST or not is_glyph(text):
        raise Invalid(f"{text[:40]!r} is not a glyph: one to {LONGEST} signs of the alphabet")
    value = 0
    for sign in reversed(text):
        value = value * SIZE + _VALUES[sign]
    return value - 1


def is_glyph(text: str) -> bool:
    """Whether a text consists only of signs of the alphabet.

    >>> is_glyph("亍"), is_glyph("tea")
    (True, False)
    """
    return bool(text) and all(sign in _VALUES for sign in text)


# The signs for the member of a family, in bijective base 255; the blank Braille pattern is invisible and left out.
MEMBERS = "".join(chr(code) for code in range(0x2801, 0x2900))
# Follows a glyph that stands for its whole family: decoding gives the label, not the original words.
LOSSY = "\u2053"
# Precedes a literal character that would otherwise be read as a sign.
ESCAPE = "\u241b"

_MEMBER = {sign: value for value, sign in enumerate(MEMBERS, 1)}
_WORD = re.compile(r"\w+")


class Sign(Struct, frozen=True):
    """A phrase in a stream: its family, and its number there; None stands for the whole family."""

    family: int
    member: int | None

    @property
    def glyph(self) -> str:
        """The glyph of the family."""
        return glyph(self.family)


def stream(parts: Iterable[str | Sign]) -> str:
    """Text and signs as one string.

    >>> stream(["ok, ", Sign(0, 0), " 亍!"])
    'ok, 亍⠁ ␛亍!'
    """
    return "".join(_written(part) if isinstance(part, Sign) else _escaped(part) for part in parts)


def parts(written: str) -> list[str | Sign]:
    """The text and signs of a stream; `Invalid` if it is not a stream.

    >>> parts('ok, 亍⠁ ␛亍!')
    ['ok, ', Sign(family=0, member=0), ' 亍!']
    """
    pieces: list[str | Sign] = []
    place = 0
    while place < len(written):
        match = _part().match(written, place)
        if match is None:
            raise Invalid(f"not a stream of the tape at character {place}: {written[place : place + 20]!r}")
        text = match["text"]
        pieces.append(_unescaped(text) if text is not None else _read(match["glyph"], match["member"]))
        place = match.end()
    return pieces


# Compiled on first use: a character class with thousands of characters is slow to compile.
@cache
def _special() -> re.Pattern[str]:
    return re.compile(f"[{ALPHABET}{MEMBERS}{LOSSY}{ESCAPE}]")


@cache
def _part() -> re.Pattern[str]:
    return re.compile(
        f"(?P<glyph>[{ALPHABET}]{{1,{LONGEST}}})(?P<member>{LOSSY}|[{MEMBERS}]{{1,4}})"
        f"|(?P<text>(?:{ESCAPE}.|[^{ALPHABET}{MEMBERS}{LOSSY}{ESCAPE}])+)",
        re.DOTALL,
    )


def _written(sign: Sign) -> str:
    return sign.glyph + (LOSSY if sign.member is None else _member(sign.member))


def _read(family: str, member: str) -> Sign:
    return Sign(number(family), None if member == LOSSY else _member_number(member))


def _member(member: int) -> str:
    signs: list[str] = []
    left = member + 1
    while left:
        left, place = divmod(left - 1, len(MEMBERS))
        signs.append(MEMBERS[place])
    return "".join(signs)


def _member_number(signs: str) -> int:
    value = 0
    for sign in reversed(signs):
        value = value * len(MEMBERS) + _MEMBER[sign]
    return value - 1


def _escaped(text: str) -> str:
    return _special().sub(lambda match: ESCAPE + match[0], text)


def _unescaped(text: str) -> str:
    return re.sub(f"{ESCAPE}(.)", r"\1", text, flags=re.DOTALL)


def density(parts: Sequence[str | Sign]) -> float:
    """The share of signs in a stream; a sign and a literal word count one each.

    >>> density(["so ", Sign(3, 0), ", he said"])
    0.25
    """
    signs = sum(isinstance(part, Sign) for part in parts)
    words = sum(len(_WORD.findall(part)) for part in parts if isinstance(part, str))
    return signs / (signs + words) if signs else 0.0


def covered(text: str, signs: Iterable[tuple[int, int, Sign]]) -> list[str | Sign]:
    """The text with spans replaced by signs, longest first, skipping spans that overlap one already replaced.

    >>> covered("see you soon, Ada", [(0, 7, Sign(1, 0)), (0, 12, Sign(2, 1))])
    [Sign(family=2, member=1), ', Ada']
    """
    taken: list[tuple[int, int, Sign]] = []
    # One byte for each character: a comparison with every span taken so far would be quadratic.
    replaced = bytearray(len(text))
    for start, end, sign in sorted(signs, key=lambda span: (span[0] - span[1], span[0])):
        if replaced.find(1, start, end) < 0:
            replaced[start:end] = b"\1" * (end - start)
            taken.append((start, end, sign))
    pieces: list[str | Sign] = []
    place = 0
    for start, end, sign in sorted(taken, key=lambda span: span[0]):
        pieces += [text[place:start], sign] if start > place else [sign]
        place = end
    return [*pieces, text[place:]] if place < len(text) else pieces


EXAMPLES = 5


def nearest_first(phrases: Sequence[Phrase]) -> list[Phrase]:
    """Phrases by closeness to the centre of their family; among equals, the first that joined."""
    return sorted(phrases, key=lambda phrase: (-phrase.likeness, phrase.member or 0))


def family_of(number: int, phrases: Sequence[Phrase], digits: str, x: float, y: float) -> Family:
    """The family with this number, described by its visible phrases, of which there is at least one.

    >>> seen = [Phrase(text="bye now", language="en", uses=1, likeness=0.8), Phrase(text="see you",
    ...     language="en", uses=3, likeness=0.9)]
    >>> family_of(0, seen, "01", 0.1, 0.2).label
    'see you'
    """
    ordered = nearest_first(phrases)
    languages = Counter(phrase.language for phrase in ordered)
    return Family(
        number=number,
        glyph=glyph(number),
        label=ordered[0].text,
        size=len(ordered),
        uses=sum(phrase.uses for phrase in ordered),
        coherence=sum(phrase.likeness for phrase in ordered) / len(ordered),
        languages=dict(languages.most_common()),
        entropy=entropy(list(languages.values())),
        examples=tuple(phrase.text for phrase in ordered[:EXAMPLES]),
        digits=digits,
        x=x,
        y=y,
    )


LEAST_TOKENS, MOST_TOKENS = 3, 50
LEAST_LENGTH, MOST_LENGTH = 10, 500

# A run of marks is tried from its first mark only: from each of them, a long run would take quadratic time.
_END = re.compile(r"(?<![.!?…؟])[.!?…؟]++[\"'”’)\]]*+(?=\s|$)|[。！？।॥។။։።]+|\n+")
_BREAK = re.compile(rf"[,;:](?=\s)|[—–()\[\]“”\"«»]|\s-\s|[，、；：،؛]|(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")
_EDGE = " \t\r\n\u00a0\u200b.,;:!?…-–—'\"“”‘’«»()[]{}*_~¡¿؟،؛。！？，、；：।॥។။։።"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PHRASE_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# Words that begin a clause.
_JOINTS = {
    "en": "and but because although while when if which who where",
    "de": "und aber weil dass wenn als obwohl damit oder",
    "fr": "et mais parce que qui quand si donc",
    "es": "y pero porque que cuando si aunque",
    "it": "e ma perche che quando se",
    "pt": "e mas porque que quando se embora",
    "nl": "en maar omdat dat als toen want",
}
_JOINT = {
    name: re.compile(rf"(?<=\s)(?:{'|'.join(words.split())})\s", re.IGNORECASE) for name, words in _JOINTS.items()
}
# Common words that open a noun phrase, and those that join two.
_OPENERS = {
    "en": "a an the my your his her its our their this that these those some all both each no".split(),
    "de": "der die das den dem des ein eine einem einen einer mein meine sein seine unser".split(),
    "fr": "le la les un une des du au aux mon ma mes son sa ses leur ce cette ces".split(),
    "es": "el la los las un una unos mi mis tu su sus este esta ese esa".split(),
    "it": "il lo la i gli le un una uno mia mio sua suo questo questa".split(),
    "pt": "o a os as um uma meu minha seu sua este esta esse essa".split(),
    "nl": "de het een mijn deze die dit dat".split(),
}
_JOINERS = {"en": "of", "fr": "de", "es": "de", "it": "di", "pt": "de", "nl": "van", "de": "von"}


class Span(Struct, frozen=True):
    """The position of a phrase in a text, and its kind: "sentence", "clause" or "noun"."""

    start: int
    end: int
    kind: str


def phrases(text: str, spoken: str | None = None) -> list[Span]:
    """The phrases of a text, each span once, larger ones before the smaller ones in them.

    A phrase has 3 to 50 tokens and 10 to 500 characters. In a script without spaces, a token is two characters and
    a character counts twice. `spoken` is the language, if it is known. Noun phrases are found only in languages
    with a list of common words; sentences and clauses are found in every script.

    >>> text = "We met the new neighbours, and it rained all day."
    >>> [text[span.start:span.end] for span in phrases(text)][1:]
    ['We met the new neighbours', 'the new neighbours', 'and it rained all day']
    """
    spoken = spoken or language(text)
    kinds: dict[tuple[int, int], str] = {}
    for start, end in _split(text, _END, 0, len(text)):
        _add(kinds, text, start, end, "sentence")
        for first, last in _clauses(text, start, end, spoken):
            _add(kinds, text, first, last, "clause")
            for noun in _nouns(text, first, last, spoken):
                _add(kinds, text, *noun, "noun")
    return [Span(start, end, kind) for (start, end), kind in kinds.items()]


def key(phrase: str) -> int:
    """A number for a phrase, the same in every process and in practice unique.

    >>> key("see you soon") == key("see you soon"), key("see you soon") == key("See you soon")
    (True, False)
    """
    return int.from_bytes(blake2b(phrase.encode(), digest_size=8).digest()) >> 1


def tokens(text: str) -> int:
    """How many tokens a phrase has: words, or pairs of characters in scripts without spaces.

    >>> tokens("see you soon"), tokens("我们明天再见")
    (3, 3)
    """
    unspaced = len(_UNSPACED.findall(text))
    words = len(_UNSPACED.sub(" ", text).split()) if unspaced else len(text.split())
    return words + (unspaced + 1) // 2


def _add(kinds: dict[tuple[int, int], str], text: str, start: int, end: int, kind: str) -> None:
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    if (start, end) in kinds or not LEAST_LENGTH // 2 <= end - start <= MOST_LENGTH:
        return
    phrase = text[start:end]
    length = len(phrase) + len(_UNSPACED.findall(phrase))
    if LEAST_LENGTH <= length <= MOST_LENGTH and LEAST_TOKENS <= tokens(phrase) <= MOST_TOKENS:
        kinds[start, end] = kind


def _split(text: str, mark: re.Pattern[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in mark.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _clauses(text: str, start: int, end: int, spoken: str) -> Iterator[tuple[int, int]]:
    joints = _JOINT.get(spoken)
    for first, last in _split(text, _BREAK, start, end):
        if joints is None:
            yield first, last
            continue
        for match in joints.finditer(text, first, last):
            yield first, match.start()
            first = match.start()
        yield first, last


def _nouns(text: str, start: int, end: int, spoken: str) -> Iterator[tuple[int, int]]:
    """Runs of uncommon words, with the word that opens them, and joined by an "of"."""
    common = COMMON.get(spoken)
    openers = _OPENERS.get(spoken)
    if common is None or openers is None:
        return
    first = last = None
    full = False
    for match in _PHRASE_WORD.finditer(text, start, end):
        word = match[0].casefold()
        if word not in common and word.replace("'", "").replace("’", "") not in common:
            first = match.start() if first is None else first
            last, full = match.end(), True
        elif full and word == _JOINERS[spoken]:
            continue
        else:
            if full and first is not None and last is not None:
                yield first, last
            first = match.start() if word in openers else None
            last, full = None, False
    if full and first is not None and last is not None:
        yield first, last
